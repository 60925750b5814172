/** Upstream: aws-sdk-go-v2 config/shared_config.go and its INI format. */

/** The settings of a profile, by name in lower case. */
export type Profile = ReadonlyMap<string, string>;

/** The profiles of a configuration file ("[profile x]", "[default]") or, with isCredentials, of a credentials file ("[x]"). */
export function parseProfiles(
  source: string,
  isCredentials: boolean,
): ReadonlyMap<string, Profile> {
  const profiles = new Map<string, Map<string, string>>();
  let current: Map<string, string> | undefined;
  for (const line of source.split(/\r?\n/)) {
    const head = /^\[\s*([^\]]*?)\s*\]/.exec(line);
    if (head) {
      const name = profileName(head[1] ?? "", isCredentials);
      current = name === undefined ? undefined : (profiles.get(name) ?? new Map());
      if (name !== undefined && current) profiles.set(name, current);
      continue;
    }
    // Indented lines belong to nested settings, which are not used here.
    const pair = /^([^\s#;=][^=]*?)\s*=\s*(.*?)\s*$/.exec(line);
    if (pair && current) current.set((pair[1] ?? "").toLowerCase(), stripComment(pair[2] ?? ""));
  }
  return profiles;
}

function profileName(head: string, isCredentials: boolean): string | undefined {
  if (isCredentials || head === "default") return head;
  return /^profile\s+"?([^"]+?)"?$/.exec(head)?.[1];
}

const stripComment = (value: string): string => value.replace(/\s[#;].*$/, "").trim();

/** Profiles of both files; the settings of the credentials file count more. */
export function mergeProfiles(
  config: ReadonlyMap<string, Profile>,
  credentials: ReadonlyMap<string, Profile>,
): ReadonlyMap<string, Profile> {
  const names = new Set([...config.keys(), ...credentials.keys()]);
  const merged = (name: string): Profile =>
    new Map([...(config.get(name) ?? []), ...(credentials.get(name) ?? [])]);
  return new Map([...names].map((name) => [name, merged(name)]));
}
