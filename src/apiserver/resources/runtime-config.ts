import type { Declaration, ServedVersion } from "../registry/strategy.ts";

/** --runtime-config: "api/all", "api/beta", "apps/v1", "apps/v1/deployments" to "true" or "false". */
type RuntimeConfig = Readonly<Record<string, string>>;

/**
 * The resources whose feature is enabled, with the enabled versions: stable ones unless disabled, others only if
 * enabled. The more specific key wins. Upstream: staging/src/k8s.io/apiserver/pkg/server/resourceconfig/helpers.go.
 */
export function enabledResources(
  resources: readonly Declaration[],
  config: RuntimeConfig,
  enabled: (feature: string) => boolean = () => true,
): Declaration[] {
  return resources.flatMap((declaration) => {
    if (declaration.gate !== undefined && !enabled(declaration.gate)) return [];
    const versions = declaration.versions.filter((version) => isEnabled(version, config));
    return versions.length > 0 ? [{ ...declaration, versions }] : [];
  });
}

function isEnabled(
  { handle: { group, version, name } }: ServedVersion,
  config: RuntimeConfig,
): boolean {
  const groupVersion = group === "" ? `api/${version}` : `${group}/${version}`;
  const stability = /alpha/.test(version) ? "alpha" : /beta/.test(version) ? "beta" : "ga";
  const keys = [`${groupVersion}/${name}`, groupVersion, `api/${stability}`, "api/all"];
  const said = keys.map((key) => config[key]).find((value) => value !== undefined);
  return said === undefined ? stability === "ga" : said !== "false" && said !== "0";
}
