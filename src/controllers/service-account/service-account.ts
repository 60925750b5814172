/** Upstream: pkg/controller/serviceaccount/serviceaccounts_controller.go. */
import { type Namespace, namespaces, serviceAccounts } from "#/api/core/v1.ts";
import { controller, watch } from "#/controller/controller.ts";
import {
  isAlreadyExists,
  isNamespaceTerminating,
  isNotFound,
} from "#/machinery/meta/status-error.ts";
import type { ManagerOptions } from "../base/manager-options.ts";

/** The ServiceAccount of Pods that name none. */
const name = "default";

/** Maintains the default ServiceAccount of every namespace. */
export const serviceAccountController = controller<Namespace, ManagerOptions>({
  name: "serviceaccount-controller",
  for: namespaces,
  watches: [
    watch(serviceAccounts, ({ metadata }) =>
      metadata.name === name ? [metadata.namespace ?? ""] : [],
    ),
  ],
  workers: 1,
  async reconcile({ metadata, status }, { client, informers }) {
    const namespace = metadata.name ?? "";
    if (status?.phase === "Terminating" || metadata.deletionTimestamp) return;
    if (informers.informer(serviceAccounts).store.get(namespace, name)) return;
    try {
      await client.create(serviceAccounts, { metadata: { name, namespace } });
    } catch (error) {
      const isSettled =
        isAlreadyExists(error) || isNotFound(error) || isNamespaceTerminating(error);
      if (!isSettled) throw error;
    }
  },
});
