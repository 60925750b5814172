/** Charts, with a program in place of helm that records its calls. */
import type { TreeCase } from "../tree-case.ts";

/** Records its arguments, its folders and its values; prints the output for the release's name. */
const helm = String.raw`#!/bin/sh
log="$PWD/helm.log"
for word in "$@"; do printf '<%s> ' "$word" >> "$log"; done
printf '\n%s %s %s\n' "$HELM_CONFIG_HOME" "$HELM_CACHE_HOME" "$HELM_DATA_HOME" >> "$log"
case "$1" in
version)
  if [ -f version.txt ]; then while read -r line; do echo "$line"; done < version.txt; exit 0; fi
  echo v3.16.2+g13654a5
  exit 0 ;;
pull)
  if [ -f refuse-pull ]; then echo "Error: no such chart" >&2; exit 1; fi
  /bin/mkdir -p "$4/fetched"
  echo "from: the repository" > "$4/fetched/values.yaml"
  exit 0 ;;
esac
release="$2"
while [ $# -gt 0 ]; do
  if [ "$1" = -f ]; then
    echo "== values" >> "$log"
    while IFS= read -r line; do printf '%s\n' "$line" >> "$log"; done < "$2"
  fi
  shift
done
object() { printf -- '---\napiVersion: v1\nkind: %s\nmetadata:\n  name: %s\n' "$1" "$2"; }
case "$release" in
failing) echo "half: done"; echo "Error: it broke" >&2; exit 3 ;;
noisy) echo "Pulled: somewhere/chart"; object ConfigMap made ;;
wordy) echo "some words"; object ConfigMap made ;;
broken) printf 'a: [\n' ;;
nameless) printf 'apiVersion: v1\nkind: ConfigMap\n' ;;
twins) object ConfigMap made; object ConfigMap made ;;
silent) ;;
*) object ConfigMap made; printf '  namespace: of-the-chart\ndata:\n  b: "1"\n  a: x\n'; object Service made ;;
esac
`;

const chart = `## charts/small/values.yaml
# Values of the chart.
size: 1
name: "small"
list: [1, 2]
deep:
  one: 1
  two: "2"
  gone: kept
## charts/small/Chart.yaml
name: small
`;

const enabled = ["--enable-helm", "--helm-command", "./bin/helm"];

const small = (more = ""): string => `helmCharts: [{name: small, releaseName: r${more}}]`;

const tree = (kustomization: string, files = chart): string =>
  `## bin/helm\n${helm}${files}## kustomization.yaml\n${kustomization}\n`;

const inline =
  "valuesInline: {size: 1000000, deep: {two: 3, gone: null, new: 1.5}, list: [x], on: true}";

const charts: Readonly<Record<string, string>> = {
  "a chart": small(),
  "a chart without a release": "helmCharts: [{name: small}]",
  "a chart without a name": "helmCharts: [{releaseName: r}]",
  "a chart that is not there": "helmCharts: [{name: absent}]",
  "a chart that is a file":
    "helmCharts: [{name: Chart.yaml}]\nhelmGlobals: {chartHome: charts/small}",
  "every option": small(
    ", namespace: ns, nameTemplate: 'x-{{1}}', includeCRDs: true, skipHooks: true, skipTests: true, debug: true, devel: true, apiVersions: [a/v1, b/v1], kubeVersion: 1.30.0, additionalValuesFiles: [charts/small/Chart.yaml]",
  ),
  "values that override": small(`, ${inline}`),
  "values that are merged": small(`, ${inline}, valuesMerge: merge`),
  "values that override, by name": small(`, ${inline}, valuesMerge: override`),
  "values that replace": small(`, ${inline}, valuesMerge: replace`),
  "values in no known way": small(`, ${inline}, valuesMerge: mix`),
  "values of another file": small(", valuesFile: charts/small/Chart.yaml"),
  "values of another file that override": small(`, valuesFile: charts/small/Chart.yaml, ${inline}`),
  "values of a file that is not there": small(", valuesFile: absent.yaml"),
  "values of a file outside": small(", valuesFile: /etc/hostname"),
  "more values of a file that is not there": small(", additionalValuesFiles: [absent.yaml]"),
  "a namespace of the kustomization": `namespace: ns\n${small()}\nresources: [o.yaml]`,
  "a namespace of the chart": `namespace: ns\n${small(", namespace: own")}`,
  "names and labels": `namePrefix: p-\nlabels: [{pairs: {l: v}}]\n${small()}`,
  origins: `buildMetadata: [originAnnotations, transformerAnnotations]\nnamePrefix: p-\n${small()}`,
  "another home of charts": `helmGlobals: {chartHome: elsewhere, configHome: /somewhere}\n${small()}`,
  "a home of charts outside": "helmGlobals: {chartHome: /nonexistent}\nhelmCharts: [{name: small}]",
  "a version without a repository": small(", version: 1.2.3"),
  "a chart that is fetched":
    "helmCharts: [{name: fetched, repo: 'https://charts.example', releaseName: r}]",
  "a version that is fetched":
    "helmCharts: [{name: fetched, repo: 'https://charts.example', version: 1.2.3, devel: true, releaseName: r}]",
  "a chart of a registry":
    "helmCharts: [{name: fetched, repo: 'oci://charts.example/all/', version: 1.2.3, releaseName: r}]",
  "the old form":
    "helmChartInflationGenerator: [{chartName: small, chartHome: charts, helmHome: /home, values: charts/small/Chart.yaml, valuesLocal: {a: b}, releaseName: r, releaseNamespace: n, extraArgs: [x]}]",
  "a generator of its own": "generators: [g.yaml]",
  "helm fails": "helmCharts: [{name: small, releaseName: failing}]",
  "helm fails and says more": "helmCharts: [{name: small, releaseName: failing, debug: true}]",
  "a line before the objects": "helmCharts: [{name: small, releaseName: noisy}]",
  "words before the objects": "helmCharts: [{name: small, releaseName: wordy}]",
  "output that is no YAML": "helmCharts: [{name: small, releaseName: broken}]",
  "output without a name": "helmCharts: [{name: small, releaseName: nameless}]",
  "output with an object twice": "helmCharts: [{name: small, releaseName: twins}]",
  "no output": "helmCharts: [{name: small, releaseName: silent}]",
  "two charts": "helmCharts: [{name: small, releaseName: r}, {name: small, releaseName: noisy}]",
};

const others: Readonly<Record<string, string>> = {
  "helm of version 2": "## version.txt\nClient: v2.16.1+gbbdfe5e\n",
  "helm of version 4": "## version.txt\nv4.0.0\n",
  "helm of no version": "## version.txt\nnothing\n",
};

const flags: Readonly<Record<string, readonly string[]>> = {
  "helm is not enabled": [],
  "helm is enabled with the plugins": ["--enable-alpha-plugins", "--helm-command", "./bin/helm"],
  "helm is not on the path": ["--enable-helm"],
  "helm is no program": ["--enable-helm", "--helm-command", "./charts/small/Chart.yaml"],
  "helm is not there": ["--enable-helm", "--helm-command", "./absent"],
  "no helm is named": ["--enable-helm", "--helm-command", ""],
  "flags for helm": [
    ...enabled,
    ...["--helm-api-versions", "a/v1", "--helm-api-versions", "b/v1"],
    ...["--helm-kube-version", "1.29", "--helm-debug"],
  ],
};

const moreFiles = `## o.yaml
apiVersion: v1
kind: Secret
metadata: {name: o}
## g.yaml
apiVersion: builtin
kind: HelmChartInflationGenerator
metadata: {name: g}
name: small
releaseName: r
valuesInline: {size: 2}
## elsewhere/small/values.yaml
else: where
`;

export const cases: readonly TreeCase[] = [
  ...Object.entries(charts).map(([name, text]) => ({
    name,
    tree: tree(text, chart + moreFiles),
    args: [...enabled, "."],
  })),
  ...Object.entries(others).map(([name, files]) => ({
    name,
    tree: tree(small(), chart + files),
    args: [...enabled, "."],
  })),
  ...Object.entries(flags).map(([name, args]) => ({
    name,
    tree: tree(small(name === "flags for helm" ? ", kubeVersion: 1.30.0" : "")),
    args: [...args, "."],
  })),
  {
    name: "a chart that cannot be fetched",
    tree: tree("helmCharts: [{name: fetched, repo: 'https://charts.example'}]", "## refuse-pull\n"),
    args: [...enabled, "."],
  },
  {
    name: "a chart of a base",
    tree: `## bin/helm\n${helm}${chart.replaceAll("## ", "## base/")}## base/kustomization.yaml\n${small()}\n## kustomization.yaml\nnamespace: outer\nresources: [base]\n`,
    args: [...enabled, "."],
  },
  {
    name: "values of a chart that are empty",
    tree: tree(small(`, ${inline}`), "## charts/small/values.yaml\n"),
    args: [...enabled, "."],
  },
];
