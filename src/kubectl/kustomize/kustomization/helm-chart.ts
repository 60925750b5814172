/** Upstream: sigs.k8s.io/kustomize/api/types/helmchartargs.go. */
import { isAbsolute, join } from "node:path";

/** A Helm chart to inflate, and the folders of helm. */
export interface HelmConfig {
  readonly chartHome?: string;
  readonly configHome?: string;
  readonly name?: string;
  readonly version?: string;
  readonly repo?: string;
  readonly releaseName?: string;
  readonly namespace?: string;
  readonly additionalValuesFiles?: readonly string[];
  readonly valuesFile?: string;
  readonly valuesInline?: Readonly<Record<string, unknown>>;
  readonly valuesMerge?: string;
  readonly includeCRDs?: boolean;
  readonly skipHooks?: boolean;
  readonly apiVersions?: readonly string[];
  readonly kubeVersion?: string;
  readonly nameTemplate?: string;
  readonly skipTests?: boolean;
  readonly debug?: boolean;
  readonly devel?: boolean;
}

/** The folder that contains, or will contain, the folder of the chart. */
export function chartHome(
  { chartHome: home = "", name = "", version, repo }: HelmConfig,
  root: string,
): string {
  const folder = home || "charts";
  const path = isAbsolute(folder) ? join(folder) : join(root, folder);
  return version && repo ? join(path, `${name}-${version}`) : path;
}

/** The arguments of helm to fetch the chart. */
export function pullArgs({ repo = "", name = "", version, devel }: HelmConfig, home: string) {
  const source = repo.startsWith("oci://")
    ? [`${repo.replace(/\/$/, "")}/${name}`]
    : ["--repo", repo, name];
  return [
    ...["pull", "--untar", "--untardir", home],
    ...source,
    ...(version ? ["--version", version] : []),
    ...(devel ? ["--devel"] : []),
  ];
}

/** The arguments of helm to print the objects of the chart. */
export function templateArgs(chart: HelmConfig, home: string): string[] {
  const { additionalValuesFiles = [], apiVersions = [] } = chart;
  const option = (name: string, value: string | undefined): string[] =>
    value ? [name, value] : [];
  const flag = (name: string, value: boolean | undefined): string[] => (value ? [name] : []);
  return [
    "template",
    chart.releaseName || "--generate-name",
    join(home, chart.name ?? ""),
    ...option("--namespace", chart.namespace),
    ...option("--name-template", chart.nameTemplate),
    ...option("-f", chart.valuesFile),
    ...additionalValuesFiles.flatMap((file) => ["-f", file]),
    ...apiVersions.flatMap((version) => ["--api-versions", version]),
    ...option("--kube-version", chart.kubeVersion),
    ...flag("--include-crds", chart.includeCRDs),
    ...flag("--skip-tests", chart.skipTests),
    ...flag("--no-hooks", chart.skipHooks),
    ...flag("--debug", chart.debug),
    ...flag("--devel", chart.devel),
  ];
}

/** Converts the deprecated form of charts. */
export function chartOfOldForm(args: Readonly<Record<string, unknown>>): HelmConfig {
  const fields = Object.entries(oldNames).map(([name, old]) => [name, args[old]]);
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined)) as HelmConfig;
}

const oldNames = {
  name: "chartName",
  version: "chartVersion",
  repo: "chartRepoUrl",
  valuesFile: "values",
  valuesInline: "valuesLocal",
  valuesMerge: "valuesMerge",
  releaseName: "releaseName",
} as const;

/** Global settings in charts of the deprecated form: the last one counts. */
export function globalsOfOldForm(
  charts: readonly Readonly<Record<string, unknown>>[],
): Pick<HelmConfig, "chartHome" | "configHome"> | undefined {
  const last = (name: string) =>
    charts.map((args) => args[name]).findLast((value) => value) as string | undefined;
  const [home, configHome] = [last("chartHome"), last("helmHome")];
  if (!home && !configHome) return undefined;
  return { ...(home && { chartHome: home }), ...(configHome && { configHome }) };
}
