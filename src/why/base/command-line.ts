/** Words that name what is in no namespace, as the lines of causes write them. */
const clusterScoped: ReadonlySet<string> = new Set([
  "namespace",
  "namespaces",
  "node",
  "nodes",
  "pv",
  "persistentvolumes",
  "storageclass",
  "storageclasses",
  "csinode",
  "csinodes",
  "csidrivers",
  "volumeattachments",
  "ingressclasses",
  "priorityclasses",
  "runtimeclasses",
  "clusterroles",
  "apiservice",
  "apiservices",
  "validatingwebhookconfigurations",
  "mutatingwebhookconfigurations",
  "validatingadmissionpolicy",
  "mutatingadmissionpolicy",
  "certificatesigningrequests",
]);

/** Commands of kubectl that know no namespaces. */
const clusterVerbs: ReadonlySet<string> = new Set([
  "uncordon",
  "cordon",
  "drain",
  "taint",
  "certificate",
  "api-resources",
]);

/** Whether a line says itself in which namespace it works. */
const saysNamespace = /(?:^| )(?:-n|-A|--namespace|--all-namespaces)(?:[ =]|$)/;

/** `node/web` and `nodes,pods` as the types in them. */
const typesOf = (word: string): readonly string[] =>
  (word.split("/")[0] ?? "").split(",").map((type) => type.split(".")[0] ?? "");

/** A command line about an object, with the object's namespace unless that is the one of most examples. */
export function inNamespace(line: string, namespace: string | undefined): string {
  const [program, verb = "", ...words] = line.split(" ");
  if (program !== "kubectl" || !namespace || namespace === "default") return line;
  if (saysNamespace.test(line) || clusterVerbs.has(verb)) return line;
  const [target = ""] = words.filter((word) => !word.startsWith("-"));
  if (typesOf(target).every((type) => clusterScoped.has(type))) return line;
  return `kubectl -n ${namespace} ${line.slice("kubectl ".length)}`;
}
