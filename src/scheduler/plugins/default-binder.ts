import { type Binding, pods } from "#/api/core/v1.ts";
import type { Client } from "#/client/client.ts";
import type { Plugin } from "../framework/plugin.ts";

/**
 * Binds a pod to its node through the API.
 *
 * Upstream: kubernetes/pkg/scheduler/framework/plugins/defaultbinder.
 */
export function defaultBinder(client: Client): Plugin {
  return {
    name: "DefaultBinder",
    async bind({ pod: { namespace, name, uid } }, nodeName) {
      const binding: Binding = {
        apiVersion: "v1",
        kind: "Binding",
        metadata: { namespace, name, uid },
        target: { kind: "Node", name: nodeName },
      };
      await client.createSubresource(pods, { namespace, name }, "binding", binding);
      return true;
    },
  };
}
