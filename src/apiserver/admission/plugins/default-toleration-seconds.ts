import { pods, type Toleration } from "#/api/core/v1.ts";
import { admissionPlugin } from "../base/admission-plugin.ts";

const notReady = "node.kubernetes.io/not-ready";
const unreachable = "node.kubernetes.io/unreachable";

/**
 * Adds default tolerations for nodes that are not ready or unreachable, unless the pod has its own.
 * Upstream: plugin/pkg/admission/defaulttolerationseconds/admission.go.
 */
export const defaultTolerationSeconds = admissionPlugin({
  name: "DefaultTolerationSeconds",
  on: pods,
  operations: ["CREATE", "UPDATE"],
  mutate({ object: { spec } }, { flags }) {
    tolerateFor(notReady, flags["default-not-ready-toleration-seconds"]);
    tolerateFor(unreachable, flags["default-unreachable-toleration-seconds"]);

    function tolerateFor(key: string, tolerationSeconds: number): void {
      if (spec.tolerations?.some((toleration) => covers(toleration, key))) return;
      const toleration = { key, operator: "Exists", effect: "NoExecute", tolerationSeconds };
      spec.tolerations = [...(spec.tolerations ?? []), toleration as Toleration];
    }
  },
});

const covers = ({ key, effect }: Toleration, taint: string): boolean =>
  (!key || key === taint) && (!effect || effect === "NoExecute");
