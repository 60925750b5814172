import { type ConfigMap, configMaps } from "#/api/core/v1.ts";
import { isAlreadyExists } from "#/machinery/meta/status-error.ts";
import { loopback } from "../auth/base/loopback.ts";
import type { Handler } from "../model/exchange.ts";
import type { Registry } from "../registry/registry.ts";

const namespace = "kube-system";
const name = "kube-apiserver-legacy-service-account-token-tracking";
const url = `/api/v1/namespaces/${namespace}/configmaps`;
const dateLength = "2006-01-02".length;

/**
 * Records since when the use of tokens in Secrets is tracked, for the controller that removes unused ones.
 *
 * Upstream: pkg/controlplane/controller/legacytokentracking/controller.go.
 */
export async function trackLegacyTokens(handler: Handler, registry: Registry): Promise<void> {
  const found = registry.store(configMaps).findCached(namespace, name)?.parsed() as
    | ConfigMap
    | undefined;
  if (/^\d{4}-\d\d-\d\d$/.test(found?.data?.["since"] ?? "")) return;
  const since = new Date(registry.clock.now()).toISOString().slice(0, dateLength);
  const data = { ...found?.data, since };
  if (found) {
    await loopback(handler, "PUT", `${url}/${name}`, { ...found, data });
    return;
  }
  const object = { kind: "ConfigMap", apiVersion: "v1", metadata: { name, namespace }, data };
  await loopback(handler, "POST", url, object).catch((error: unknown) => {
    if (!isAlreadyExists(error)) throw error;
  });
}
