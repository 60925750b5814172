/**
 * Upstream: staging/src/k8s.io/client-go/tools/clientcmd/api/v1/types.go, as Go's encoding/json
 * reads values into it.
 */

/** The Go type of a field. */
type GoType =
  | { readonly is: "string" | "bool" | "bytes" | "any"; readonly name: string }
  | { readonly is: "list"; readonly of: GoType; readonly name: string }
  | { readonly is: "map"; readonly of: GoType; readonly name: string }
  | { readonly is: "struct"; readonly fields: Fields; readonly name: string };

type Fields = Readonly<Record<string, GoType>>;

const text: GoType = { is: "string", name: "string" };
const bool: GoType = { is: "bool", name: "bool" };
const bytes: GoType = { is: "bytes", name: "[]uint8" };
const any: GoType = { is: "any", name: "" };

const listOf = (of: GoType): GoType => ({ is: "list", of, name: `[]${of.name}` });
const mapOf = (of: GoType): GoType => ({ is: "map", of, name: `map[string]${of.name}` });
const struct = (name: string, fields: Fields): GoType => ({
  is: "struct",
  fields,
  name: `v1.${name}`,
});

const extensions = listOf(struct("NamedExtension", { name: text, extension: any }));

const cluster = struct("Cluster", {
  server: text,
  "tls-server-name": text,
  "insecure-skip-tls-verify": bool,
  "certificate-authority": text,
  "certificate-authority-data": bytes,
  "proxy-url": text,
  "disable-compression": bool,
  extensions,
});

const exec = struct("ExecConfig", {
  command: text,
  args: listOf(text),
  env: listOf(struct("ExecEnvVar", { name: text, value: text })),
  apiVersion: text,
  installHint: text,
  provideClusterInfo: bool,
  interactiveMode: { is: "string", name: "v1.ExecInteractiveMode" },
});

const user = struct("AuthInfo", {
  "client-certificate": text,
  "client-certificate-data": bytes,
  "client-key": text,
  "client-key-data": bytes,
  token: text,
  tokenFile: text,
  as: text,
  "as-uid": text,
  "as-groups": listOf(text),
  "as-user-extra": mapOf(listOf(text)),
  username: text,
  password: text,
  "auth-provider": struct("AuthProviderConfig", { name: text, config: mapOf(text) }),
  exec,
  extensions,
});

const context = struct("Context", { cluster: text, user: text, namespace: text, extensions });

const config = struct("Config", {
  preferences: struct("Preferences", { colors: bool, extensions }),
  clusters: listOf(struct("NamedCluster", { name: text, cluster })),
  users: listOf(struct("NamedAuthInfo", { name: text, user })),
  contexts: listOf(struct("NamedContext", { name: text, context })),
  "current-context": text,
  extensions,
});

/** Throws if a value of a kubeconfig has the wrong type, with Go's message. */
export function checkTypes(value: object): void {
  const problem = problemOf(value, config, { struct: "", path: "" });
  if (problem !== undefined) throw new Error(problem);
}

/** The field that is read: its struct, and the path of names to it. */
interface Place {
  readonly struct: string;
  readonly path: string;
}

function problemOf(value: unknown, type: GoType, place: Place): string | undefined {
  if (value === null || value === undefined || type.is === "any") return undefined;
  const found = jsonType(value);
  if (found !== jsonTypes[type.is]) {
    return `json: cannot unmarshal ${found} into Go struct field ${place.struct}.${place.path} of type ${type.name}`;
  }
  if (type.is === "list") {
    return firstOf(value as unknown[], (each) => problemOf(each, type.of, place));
  }
  // Go converts YAML to JSON with sorted keys.
  const entries = (): [string, unknown][] =>
    Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  if (type.is === "map") return firstOf(entries(), ([, each]) => problemOf(each, type.of, place));
  if (type.is !== "struct") return undefined;
  return firstOf(entries(), ([name, each]) => {
    const field = Object.hasOwn(type.fields, name) ? type.fields[name] : undefined;
    const path = place.path === "" ? name : `${place.path}.${name}`;
    return field && problemOf(each, field, { struct: type.name.slice("v1.".length), path });
  });
}

function firstOf<T>(
  items: readonly T[],
  check: (item: T) => string | undefined,
): string | undefined {
  for (const item of items) {
    const problem = check(item);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** The JSON types that a Go type accepts. */
const jsonTypes = {
  string: "string",
  bytes: "string",
  bool: "bool",
  list: "array",
  map: "object",
  struct: "object",
} as const satisfies Record<Exclude<GoType["is"], "any">, string>;

function jsonType(value: unknown): string {
  if (Array.isArray(value)) return "array";
  return typeof value === "boolean" ? "bool" : typeof value;
}
