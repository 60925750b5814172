import type { Service } from "#/api/core/v1.ts";
import { slicesOf } from "../proxy/choose-endpoint.ts";
import type { ServiceStores } from "../proxy/resolve-service.ts";
import { checkService, type Unavailable } from "./check-service.ts";
import type { RemoteApi } from "./remote-api.ts";

/** Limit of attempts before a server counts as unavailable (count); one success is enough. */
const attempts = 5;

/** Limit of the body of an attempt (bytes): it is not used, and read only to keep the connection. */
const maxProbeBytes = 64 * 1024;

/** The reason for a registered API with a server that does not respond well. */
export const failedDiscoveryCheck = "FailedDiscoveryCheck";

/**
 * The reason why an API isn't available; undefined if it is: its Service has endpoints, and one of them serves
 * discovery.
 *
 * Upstream: staging/src/k8s.io/kube-aggregator/pkg/controllers/status/remote/remote_available_controller.go.
 */
export async function probeApi(
  remote: RemoteApi,
  { services, slices }: ServiceStores,
): Promise<Unavailable | undefined> {
  const { namespace = "", name = "" } = remote.service;
  const service = services.findCached(namespace, name)?.parsed() as unknown as Service | undefined;
  const problem = checkService(remote.service, service, slicesOf(slices, namespace, name));
  if (problem) return problem;
  const { group = "", version } = remote.apiService.spec;
  const path = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  try {
    await Promise.any(Array.from({ length: attempts }, () => askOnce(remote, path)));
    return undefined;
  } catch (error) {
    const last = error instanceof AggregateError ? error.errors.at(-1) : error;
    const message = last instanceof Error ? last.message : String(last);
    return { reason: failedDiscoveryCheck, message };
  }
}

async function askOnce(remote: RemoteApi, path: string): Promise<void> {
  const { status, url } = await remote.ask(path, {}, maxProbeBytes);
  if (status >= 200 && status < 300) return;
  throw new Error(`failing or missing response from ${url}: bad status from ${url}: ${status}`);
}
