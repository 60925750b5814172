import { type Binding, pods } from "#/api/core/v1.ts";
import { retryTransient } from "../framework/retry-transient.ts";
import type {
  MakingOptions,
  PluginDeclaration,
  PluginMethods,
} from "./shared/plugin-declaration.ts";

/**
 * Binds a pod to its node through the API.
 *
 * Upstream: pkg/scheduler/framework/plugins/defaultbinder.
 */
export const defaultBinder: PluginDeclaration = {
  name: "DefaultBinder",
  make,
};

function make(_args: object, { context }: MakingOptions): PluginMethods {
  const { client, clock } = context;
  return {
    async bind({ pod: { namespace, name, uid } }, nodeName) {
      const binding: Binding = {
        apiVersion: "v1",
        kind: "Binding",
        metadata: { namespace, name, uid },
        target: { kind: "Node", name: nodeName },
      };
      await retryTransient(clock, () =>
        client.createSubresource(pods, { namespace, name }, "binding", binding),
      );
      return true;
    },
  };
}
