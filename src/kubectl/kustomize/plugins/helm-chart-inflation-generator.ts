/** Upstream: sigs.k8s.io/kustomize/api/internal/builtins/HelmChartInflationGenerator.go. */
import { KustomizeError } from "../failure/kustomize-error.ts";
import { text } from "../kustomization/shapes.ts";
import { decodeConfig, type Plugin } from "./plugin.ts";

/** Would run helm, which is not done here. */
export const helmChartInflationGenerator: Plugin = {
  kind: "HelmChartInflationGenerator",
  configure(config, { isHelmEnabled }) {
    if (!isHelmEnabled) throw new KustomizeError("must specify --enable-helm");
    const { name = "" } = decodeConfig<{ name?: string }>(config, "HelmChart", { name: text });
    if (name === "") throw new KustomizeError("chart name cannot be empty");
    throw new KustomizeError("Helm charts are not supported; render them first");
  },
};
