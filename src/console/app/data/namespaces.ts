import { signal } from "@preact/signals";
import { namespace } from "../base/preferences.ts";
import { kubeconfigContext } from "../base/session.ts";
import { LiveList } from "./live-list.ts";

/** Names of the namespaces, if the user may list them. */
export const namespaceNames = signal<readonly string[] | undefined>(undefined);

/** Follows the namespaces; a user who may not list them begins in the one of the kubeconfig. */
export function followNamespaces(stop: AbortSignal): void {
  const list = new LiveList("/api/v1/namespaces", { signal: stop });
  const ends = [
    list.items.subscribe((items) => {
      if (list.state.peek() === "loading" && items.length === 0) return;
      namespaceNames.value = items.map(({ metadata }) => metadata.name).sort();
    }),
    list.state.subscribe((state) => {
      if (state !== "refused") return;
      namespaceNames.value = undefined;
      namespace.value ??= kubeconfigContext.peek()?.namespace ?? "default";
    }),
  ];
  stop.addEventListener("abort", () => {
    for (const end of ends) end();
  });
}
