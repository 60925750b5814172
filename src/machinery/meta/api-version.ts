/** "v1" or "apps/v1". */
export function apiVersionOf({ group, version }: GroupVersion): string {
  return group === "" ? version : `${group}/${version}`;
}

/** The group and version of an apiVersion. */
export function parseApiVersion(apiVersion: string): GroupVersion {
  const slash = apiVersion.indexOf("/");
  return slash < 0
    ? { group: "", version: apiVersion }
    : { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}

interface GroupVersion {
  readonly group: string;
  readonly version: string;
}
