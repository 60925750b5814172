/** Upstream: pkg/controller/certificates/rootcacertpublisher. */
import { readFileSync } from "node:fs";
import { configMaps, type Namespace, namespaces } from "#/api/core/v1.ts";
import { controller, watch } from "#/controller/controller.ts";
import { isNamespaceTerminating, isNotFound } from "#/machinery/meta/status-error.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import type { ManagerOptions } from "../base/manager-options.ts";

const name = "kube-root-ca.crt";
const descriptionKey = "kubernetes.io/description";
const description =
  "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.";

/** Publishes the CA of the API server's certificate in every namespace. */
export const rootCaController = controller<Namespace, ManagerOptions>({
  name: "root-ca-certificate-publisher-controller",
  for: namespaces,
  queue: "root_ca_cert_publisher",
  watches: [
    watch(configMaps, ({ metadata }) => (metadata.name === name ? [metadata.namespace ?? ""] : [])),
  ],
  workers: 1,
  async reconcile({ metadata, status }, { client, informers, options }) {
    const namespace = metadata.name ?? "";
    const file = options.flags["root-ca-file"];
    if (file === "" || status?.phase === "Terminating" || metadata.deletionTimestamp) return;
    const data = { "ca.crt": readFileSync(file, "utf8") };
    const there = informers.informer(configMaps).store.get(namespace, name);
    const annotations = { ...there?.metadata.annotations, [descriptionKey]: description };
    if (!there) {
      try {
        await client.create(configMaps, { metadata: { name, namespace, annotations }, data });
      } catch (error) {
        if (!isNotFound(error) && !isNamespaceTerminating(error)) throw error;
      }
      return;
    }
    if (deepEqual(there.data, data) && there.metadata.annotations?.[descriptionKey]) return;
    await client.update(configMaps, {
      ...there,
      metadata: { ...there.metadata, annotations },
      data,
    });
  },
});
