import type { Service } from "#/api/core/v1.ts";
import { slicesOf } from "../proxy/choose-endpoint.ts";
import type { ServiceStores } from "../proxy/resolve-service.ts";
import { checkService, type Unavailable } from "./check-service.ts";
import type { RemoteApi } from "./remote-api.ts";

/** How often a server is asked before it is called unavailable; one good answer is enough. */
const attempts = 5;

/** The reason of an API whose server is registered well but doesn't answer well. */
export const failedDiscoveryCheck = "FailedDiscoveryCheck";

/**
 * Why an API isn't available; undefined when it is: its service has endpoints, and one of them says what it has.
 *
 * Upstream: kube-aggregator/pkg/controllers/status/remote/remote_available_controller.go.
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
  const { status, url } = await remote.ask(path);
  if (status >= 200 && status < 300) return;
  throw new Error(`failing or missing response from ${url}: bad status from ${url}: ${status}`);
}
