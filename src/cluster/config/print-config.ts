import { typeOf } from "#/std/flags/flags.ts";
import { yaml } from "#/std/text/yaml.ts";
import { upFlags } from "../plan/up-flags.ts";
import { clusterFields } from "./fields.ts";

/** A value with its origin: "default", FILE:LINE, or another. */
export interface Origin {
  readonly value: unknown;
  readonly origin: string;
}

/** Documents whose content is secret. */
const secretKinds = ["EncryptionConfiguration"];

/** The effective configuration as documents that `up --config` reads, with the origin of each value. Pure. */
export function printConfig(
  effective: (flag: string) => Origin,
  documents: Readonly<Record<string, object>>,
): string {
  const lines = ["apiVersion: k8ts.dev/v1", "kind: Cluster"];
  let section = "";
  for (const [path, field] of Object.entries(clusterFields)) {
    if (!("flag" in field)) continue;
    const [name = "", inner] = path.split(".");
    if (inner !== undefined && name !== section) lines.push(`${name}:`);
    section = inner === undefined ? "" : name;
    const { value, origin } = effective(field.flag);
    const text = JSON.stringify(shown(field.flag, value));
    lines.push(`${inner === undefined ? name : `  ${inner}`}: ${text} # ${origin}`);
  }
  lines.push(...argLines(effective));
  return [`${lines.join("\n")}\n`, ...Object.entries(documents).map(documentText)].join("---\n");
}

/** The value as a document has it: text for types that YAML lacks. */
function shown(flag: keyof typeof upFlags, value: unknown): unknown {
  const isPlain = typeof value === "object" || typeof value === "boolean";
  if (isPlain) return value;
  return upFlags[flag].type === "duration" || typeof value !== "number"
    ? typeOf(upFlags[flag]).format(value)
    : value;
}

function argLines(effective: (flag: string) => Origin): string[] {
  const flags = Object.keys(upFlags).filter((name) => name.endsWith("-arg"));
  const lines = flags.flatMap((flag) => {
    const { value, origin } = effective(flag);
    const args = (value ?? []) as readonly string[];
    if (args.length === 0) return [];
    const pairs = args.map((arg) => {
      const at = arg.indexOf("=");
      return { name: arg.slice(0, at), value: arg.slice(at + 1) };
    });
    return [`  ${flag.replace(/-arg$/, "")}: ${JSON.stringify(pairs)} # ${origin}`];
  });
  return lines.length === 0 ? [] : ["args:", ...lines];
}

const documentText = ([kind, document]: readonly [string, object]): string =>
  secretKinds.includes(kind)
    ? `# ${kind}: its content is secret, and is not shown\n`
    : yaml().stringify(document);
