/** Upstream: sigs.k8s.io/kustomize/api/internal/builtins/HelmChartInflationGenerator.go. */
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeYaml } from "#/machinery/codec/yaml/yaml-writer.ts";
import { doing, KustomizeError } from "../failure/kustomize-error.ts";
import { runHelm } from "../files/run-helm.ts";
import { chartHome, type HelmConfig, pullArgs, templateArgs } from "../kustomization/helm-chart.ts";
import { helmChart, helmGlobals } from "../kustomization/shapes.ts";
import { strategicMerge } from "../merge/strategic-merge.ts";
import { helmGenerated } from "../resource/build-annotations.ts";
import { readResources } from "../resource/read-resources.ts";
import type { Resource } from "../resource/resource.ts";
import { ResourceMap } from "../resource/resource-map.ts";
import { jsonOf, nodeOf } from "../yaml/node-value.ts";
import { readNode, readNodes } from "../yaml/read-nodes.ts";
import { tags, type YamlNode } from "../yaml/yaml-node.ts";
import { decodeConfig, type HelmOptions, type Plugin, type PluginHelpers } from "./plugin.ts";

const mergeOptions = ["merge", "override", "replace"];

/** Creates the objects of a Helm chart, with the helm program. */
export const helmChartInflationGenerator: Plugin = {
  kind: "HelmChartInflationGenerator",
  configure(config, helpers) {
    const { helm, loader } = helpers;
    if (!helm) throw new KustomizeError("must specify --enable-helm");
    if (helm.command === "") throw new KustomizeError("must specify --helm-command");
    const given = decodeConfig<HelmConfig>(config, "HelmChartInflationGeneratorPlugin", {
      ...helmGlobals,
      ...helmChart,
    });
    const chart = withOptions(given, helm);
    if (!chart.name) throw new KustomizeError("chart name cannot be empty");
    const files = (chart.additionalValuesFiles ?? []).map((file) => {
      doing("could not load additionalValuesFile", () => loader.load(file));
      return join(loader.root, file);
    });
    if (chart.valuesMerge && !mergeOptions.includes(chart.valuesMerge)) {
      throw new KustomizeError(`valuesMerge must be one of [${mergeOptions.join(" ")}]`);
    }
    const ready = { ...chart, ...(files.length > 0 && { additionalValuesFiles: files }) };
    return { generate: () => generate(ready, helm, helpers) };
  },
};

/** Flags are the defaults of the configuration. */
function withOptions(config: HelmConfig, helm: HelmOptions): HelmConfig {
  return {
    ...config,
    kubeVersion: config.kubeVersion || helm.kubeVersion,
    apiVersions: config.apiVersions ?? helm.apiVersions,
    debug: config.debug ?? helm.debug,
  };
}

function generate(chart: HelmConfig, helm: HelmOptions, helpers: PluginHelpers): Resource[] {
  const folder = mkdtempSync(join(tmpdir(), "kustomize-helm-"));
  try {
    const configHome = chart.configHome || join(folder, "helm");
    const run = (args: readonly string[]): string => runHelm(helm, args, configHome);
    checkVersion(run(["version", "--short"]));
    const home = chartHome(chart, helpers.loader.root);
    ensureChart(chart, home, run);
    const valuesFile = join(folder, `${chart.name}-kustomize-values.yaml`);
    writeFileSync(valuesFile, valuesOf(chart, home, helpers));
    const made = objectsIn(run(templateArgs({ ...chart, valuesFile }, home)));
    for (const resource of made) {
      resource.annotations = { ...resource.annotations, [helmGenerated]: "true" };
    }
    return made;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function checkVersion(output: string): void {
  const version = /v?(\d+(?:\.\d+)+)/.exec(output)?.[1];
  if (version === undefined) throw new KustomizeError(`cannot find version string in ${output}`);
  const [major] = version.split(".");
  if (major === "3" || major === "4") return;
  throw new KustomizeError(`this plugin requires helm V3 or V4 but got v${version}`);
}

/** Fetches a missing chart. */
function ensureChart(chart: HelmConfig, home: string, run: (args: string[]) => string): void {
  const path = join(home, chart.name ?? "");
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat?.isDirectory()) return;
  if (!chart.repo) {
    throw new KustomizeError(`no repo specified for pull, no chart found at '${stat ? path : ""}'`);
  }
  run(pullArgs(chart, home));
}

/** The values of the chart: those of a file, those in the kustomization, or both. */
function valuesOf(chart: HelmConfig, home: string, { loader, schemas }: PluginHelpers): Uint8Array {
  const { valuesInline = {}, valuesMerge } = chart;
  const file = chart.valuesFile || join(home, chart.name ?? "", "values.yaml");
  const isInline = Object.keys(valuesInline).length > 0;
  if (isInline && valuesMerge === "replace") return Buffer.from(writeYaml(valuesInline));
  const bytes = loader.load(file);
  if (!isInline) return bytes;
  const ofChart = doing("could not parse values file into rnode", () => {
    const node = readNode(bytes.toString("utf8"));
    if (!node) throw new KustomizeError("EOF");
    return node;
  });
  const inline = nodeOf(valuesInline);
  const [winner, loser] = valuesMerge === "merge" ? [ofChart, inline] : [inline, ofChart];
  const merged = doing("could not merge values", () => strategicMerge(loser, winner, schemas()));
  if (merged) dropQuotes(merged);
  return Buffer.from(writeYaml(merged ? jsonOf(merged) : {}));
}

/** A number that replaces a quoted string stays a number. */
function dropQuotes(node: YamlNode): void {
  const isQuoted = node.style === "double" || node.style === "single";
  if (node.kind === "scalar" && isQuoted && node.tag !== tags.string) node.style = "plain";
  for (const item of node.items) dropQuotes(item);
  for (const { value } of node.entries) dropQuotes(value);
}

/** The objects in helm's output; messages may precede them. */
function objectsIn(output: string): Resource[] {
  try {
    return new ResourceMap(readResources(output)).resources;
  } catch (error) {
    const nodes = doing("error reading helm output", () => readNodes(output));
    const prefix =
      nodes.length > 0
        ? "could not parse rnode slice into resource map"
        : "could not parse bytes into resource map";
    return doing(prefix, () => {
      throw error;
    });
  }
}
