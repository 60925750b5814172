import { typeOf } from "#/std/flags/flags.ts";
import { upFlags } from "../plan/up-flags.ts";
import { clusterFields } from "./fields.ts";
import { partDocuments } from "./plan-config.ts";

const typeNames: Readonly<Record<string, string>> = {
  string: "string",
  strings: "list of strings",
  duration: "duration",
  int: "number",
  "": "true or false",
};

/** The description of a field of `k8ts.dev/v1 Cluster`, or of all; undefined for an unknown one. Pure. */
export function explainField(path: string): string | undefined {
  if (path === "") return `${overview()}${[...Object.entries(clusterFields)].map(line).join("")}`;
  const field = Object.hasOwn(clusterFields, path) ? clusterFields[path] : undefined;
  if (field) return line([path, field]);
  const inner = Object.entries(clusterFields).filter(([name]) => name.startsWith(`${path}.`));
  return inner.length === 0 ? undefined : inner.map(line).join("");
}

function line([path, field]: readonly [string, (typeof clusterFields)[string]]): string {
  if (!("flag" in field))
    return `${path} <map of flags>\n  Flags of a part, NAME: VALUE each, by its name.\n`;
  const flag = upFlags[field.flag];
  const { label, format, zero } = typeOf(flag);
  const start = "default" in flag ? flag.default : zero;
  const text = format(start);
  const isEmpty = ["", "[]"].includes(text);
  const help = flag.help.replaceAll("`", "");
  const defaults = isEmpty ? "" : ` Default: ${text}.`;
  return `${path} <${typeNames[label] ?? label}>  --${field.flag}\n  ${help}${defaults}\n`;
}

function overview(): string {
  const kinds = partDocuments.map(({ apiGroup, kind }) => `${kind} (${apiGroup})`).join(", ");
  return `A configuration has documents of these kinds: Cluster (k8ts.dev/v1), with the fields below;
ClusterConfiguration and InitConfiguration (kubeadm.k8s.io/v1beta4); ${kinds}.
k8ts join --config reads kubeadm's JoinConfiguration, and documents of the kubelet and the proxy.

`;
}
