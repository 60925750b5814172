import { randomUUID } from "node:crypto";
import { LmdbStorage } from "#/storage/lmdb/lmdb-storage.ts";
import { startApiServer } from "#/testing/start-api-server.ts";

/** How many Pods are on one Node. */
export const podsPerNode = 20;
const namespaces = 50;
const applications = 1000;

/** A Pod, a Node and a Namespace as the server stores them. */
async function storedForms(): Promise<Record<"pod" | "node" | "namespace", string>> {
  await using server = await startApiServer();
  const container = (name: string) => ({
    name,
    image: `images.example.com/team/${name}:v1`,
    env: [{ name: "MODE", value: "production" }],
    resources: { requests: { cpu: "100m", memory: "128Mi" } },
    readinessProbe: { httpGet: { path: "/readyz", port: 8080 } },
    volumeMounts: [{ name: "config", mountPath: "/etc/app" }],
  });
  const pod = {
    metadata: { name: "template", labels: { app: "app-template" } },
    spec: {
      nodeName: "node-template",
      containers: [container("app"), container("sidecar")],
      volumes: [{ name: "config", configMap: { name: "config" } }],
    },
  };
  const pods = "/api/v1/namespaces/default/pods";
  await server.call("POST", "/api/v1/namespaces", { metadata: { name: "default" } });
  await server.call("POST", pods, pod);
  await server.call("POST", "/api/v1/nodes", { metadata: { name: "node-template" } });
  const stored = async (key: string): Promise<string> => {
    const { entry } = await server.registry.storage.get(key);
    return Buffer.from(entry?.value ?? []).toString();
  };
  return {
    pod: await stored("/registry/pods/default/template"),
    node: await stored("/registry/minions/node-template"),
    namespace: await stored("/registry/namespaces/default"),
  };
}

/** Writes this number of Pods, with their Nodes and Namespaces, into a store, as requests would; returns its size. */
export async function fillStore(where: string, count: number): Promise<number> {
  const templates = await storedForms();
  await using storage = await LmdbStorage.open({ directory: where });
  const put = (key: string, text: string) =>
    storage.put(key, Buffer.from(text), { expect: "absent" });
  for (let index = 0; index < namespaces; index++) {
    const text = templates.namespace.replaceAll('"default"', `"team-${index}"`);
    await put(`/registry/namespaces/team-${index}`, text);
  }
  const numbers = Array.from({ length: count }, (_, index) => index);
  for (let start = 0; start < count; start += 1000) {
    await Promise.all(
      numbers.slice(start, start + 1000).flatMap((index) => {
        const namespace = `team-${index % namespaces}`;
        const name = `web-${String(index).padStart(7, "0")}`;
        const node = `node-${Math.floor(index / podsPerNode)}`;
        const text = templates.pod
          .replace('"name":"template"', `"name":"${name}"`)
          .replace('"namespace":"default"', `"namespace":"${namespace}"`)
          .replace(/"uid":"[^"]*"/, `"uid":"${randomUUID()}"`)
          .replace("app-template", `app-${index % applications}`)
          .replace("node-template", node);
        const pod = put(`/registry/pods/${namespace}/${name}`, text);
        if (index % podsPerNode !== 0) return [pod];
        const own = templates.node
          .replaceAll("node-template", node)
          .replace(/"uid":"[^"]*"/, `"uid":"${randomUUID()}"`);
        return [pod, put(`/registry/minions/${node}`, own)];
      }),
    );
  }
  return storage.sizeBytes();
}
