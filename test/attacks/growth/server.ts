import { startAdmittingServer } from "#/testing/start-admitting-server.ts";
import type { TestApiServer } from "#/testing/start-api-server.ts";
import { serveGadgets } from "./custom-resource.ts";

/** A server with all resources and its default admission plugins, and a namespace with a quota and limits. */
export async function startGrowthServer(): Promise<TestApiServer> {
  const api = await startAdmittingServer();
  const create = async (url: string, kind: string, content: object): Promise<void> => {
    const body = { apiVersion: "v1", kind, ...content };
    const { status, text } = await api.call("POST", url, body);
    if (status !== 201) throw new Error(text);
  };
  await create("/api/v1/namespaces", "Namespace", { metadata: { name: "default" } });
  const inDefault = "/api/v1/namespaces/default";
  await create(`${inDefault}/serviceaccounts`, "ServiceAccount", { metadata: { name: "default" } });
  await create(`${inDefault}/resourcequotas`, "ResourceQuota", {
    metadata: { name: "all" },
    spec: { hard: { pods: "100", "limits.cpu": "100k", "count/configmaps": "1k" } },
  });
  await create(`${inDefault}/limitranges`, "LimitRange", {
    metadata: { name: "all" },
    spec: { limits: [{ type: "Container", default: { cpu: "1" }, max: { cpu: "2" } }] },
  });
  await serveGadgets(api);
  return api;
}
