// @kubernetes/client-node against the cluster of $KUBECONFIG: `npm install @kubernetes/client-node` somewhere, then
// `node test/clients/client-node.mjs` with that folder as $CLIENT_NODE. Ends with "ok" or with what went wrong.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { join } from "node:path";

const from = createRequire(join(process.env.CLIENT_NODE ?? process.cwd(), "x.js"));
const k8s = await import(from.resolve("@kubernetes/client-node"));
const config = new k8s.KubeConfig();
config.loadFromDefault();
const core = config.makeApiClient(k8s.CoreV1Api);
const apps = config.makeApiClient(k8s.AppsV1Api);
const namespace = "client-node";

await core.createNamespace({ body: { metadata: { name: namespace } } });
const seen = [];
const informer = k8s.makeInformer(config, `/api/v1/namespaces/${namespace}/configmaps`, () =>
  core.listNamespacedConfigMap({ namespace }),
);
for (const event of ["add", "update", "delete"]) {
  // A controller puts another one into every namespace.
  informer.on(event, ({ metadata: { name } }) => name === "a" && seen.push(`${event} ${name}`));
}
await informer.start();

await core.createNamespacedConfigMap({ namespace, body: { metadata: { name: "a" }, data: { k: "1" } } });
const read = await core.readNamespacedConfigMap({ namespace, name: "a" });
read.data.k = "2";
await core.replaceNamespacedConfigMap({ namespace, name: "a", body: read });
await core.deleteNamespacedConfigMap({ namespace, name: "a" });
await assert.rejects(core.readNamespacedConfigMap({ namespace, name: "a" }), (error) => error.code === 404);

const labels = { app: "web" };
await apps.createNamespacedDeployment({
  namespace,
  body: {
    metadata: { name: "web" },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } },
    },
  },
});
const objects = k8s.KubernetesObjectApi.makeApiClient(config);
const deployment = await objects.read({ apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web", namespace } });
assert.equal(deployment.spec.replicas, 1);
await objects.delete(deployment);

for (let wait = 0; seen.length < 3 && wait < 100; wait++) await new Promise((done) => setTimeout(done, 20));
assert.deepEqual(seen.slice(0, 3), ["add a", "update a", "delete a"]);
await informer.stop();
await core.deleteNamespace({ name: namespace });
console.log("ok:", seen.join(", "));
process.exit(0);
