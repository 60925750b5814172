/** Upstream: staging/src/k8s.io/kubectl/pkg/util/completion/completion.go. */
import { readdir } from "node:fs/promises";
import type { Completion, KubeconfigSection, PodCompletion } from "../command/completion.ts";
import type { Context } from "../command/context.ts";
import {
  containersOf,
  kubeconfigNames,
  namesOf,
  objectsOf,
  podPorts,
  resourceTypes,
  servicePorts,
} from "./cluster-words.ts";
import { directive } from "./directive.ts";
import { beginning, type Completer, type Suggestions, suggest } from "./suggestions.ts";

/** Resource types that have Pods. */
const podOwners = [
  "daemonsets",
  "deployments",
  "pods",
  "jobs",
  "replicasets",
  "replicationcontrollers",
  "services",
  "statefulsets",
];

const serviceTypes: ReadonlySet<string> = new Set(["service", "services", "svc"]);

/** The completer that a command declares. */
export function completerOf(completion: Completion): Completer {
  switch (completion.of) {
    case "resources":
      return typesAndNames(completion);
    case "names":
      return atMostOne(completion.once, nameOfType(completion.type));
    case "kubeconfig":
      return atMostOne(completion.once, kubeconfigName(completion.section));
    case "words":
      return wordsOf(completion.words);
    case "first word":
      return firstOf(completion.words);
    case "all words":
      return () => suggest(completion.words);
    case "files":
      return () => withExtensions(completion.extensions);
    default:
      return podCompleters[completion.of];
  }
}

function withExtensions(extensions: readonly string[]): Suggestions {
  return {
    suggestions: extensions.map((word) => ({ word })),
    directive: directive.filterExtensions,
  };
}

/** Suggests nothing after the first argument, if there may be only one. */
const atMostOne =
  (once: boolean | undefined, completer: Completer): Completer =>
  (typed, context) =>
    once && typed.args.length > 0 ? suggest([]) : completer(typed, context);

/** Completes a fixed list of words. */
const wordsOf =
  (words: readonly string[]): Completer =>
  ({ word }) =>
    suggest(beginning(words, word));

/** Completes a fixed list of words for the first argument, and files for others. */
const firstOf =
  (words: readonly string[]): Completer =>
  (typed, context) =>
    typed.args.length > 0
      ? { suggestions: [], directive: directive.default }
      : wordsOf(words)(typed, context);

/** The name of an object of a type. */
const nameOfType =
  (type: string): Completer =>
  async ({ word }, context) =>
    suggest(beginning(await namesOf(type, context), word));

/** A name in the kubeconfig. */
const kubeconfigName =
  (list: KubeconfigSection): Completer =>
  async ({ word }, context) =>
    suggest(beginning(await kubeconfigNames(list, context), word));

/** TYPE NAME…, or TYPE/NAME…. */
function typesAndNames({
  types,
  repeats = true,
}: Extract<Completion, { of: "resources" }>): Completer {
  return async ({ args, word }, context): Promise<Suggestions> => {
    const [first] = args;
    if (first !== undefined && !first.includes("/")) {
      if (!repeats && args.length > 1) return suggest([]);
      const names = beginning(await namesOf(first, context), word);
      return suggest(names.filter((name) => !args.slice(1).includes(name)));
    }
    if (!repeats && first !== undefined) return suggest([]);
    if (word.includes("/")) {
      const names = await typedNames(word, context);
      return suggest(names.filter((name) => !args.includes(name)));
    }
    const found = types ? beginning(types, word) : await typesFor(word, context);
    if (first === undefined) return suggest(found);
    return suggest(
      found.map((type) => `${type}/`),
      directive.noSpace,
    );
  };
}

/** Types with the prefix after the last comma. */
async function typesFor(word: string, context: Context): Promise<string[]> {
  const start = word.lastIndexOf(",") + 1;
  const types = await resourceTypes(context);
  return beginning(types, word.slice(start)).map((type) => word.slice(0, start) + type);
}

/** Objects that match TYPE/PREFIX. */
async function typedNames(word: string, context: Context): Promise<string[]> {
  const slash = word.indexOf("/");
  const type = word.slice(0, slash);
  const names = beginning(await namesOf(type, context), word.slice(slash + 1));
  return names.map((name) => `${type}/${name}`);
}

/** A Pod, or an object that has Pods. */
const podOrOwner: Completer = async ({ word }, context) => {
  if (word.includes("/")) return suggest(await typedNames(word, context));
  const pods = beginning(await namesOf("pods", context), word);
  const owners = beginning(podOwners, word).map((type) => `${type}/`);
  return suggest([...pods, ...owners], pods.length === 0 ? directive.noSpace : 0);
};

/** A Pod, or an object that has Pods, as the first argument only. */
const pod: Completer = (typed, context) =>
  typed.args.length > 0 ? suggest([]) : podOrOwner(typed, context);

/** A Pod, then one of its containers. */
const podAndContainer: Completer = async (typed, context) => {
  const [first, ...more] = typed.args;
  if (first === undefined) return podOrOwner(typed, context);
  if (more.length > 0) return suggest([]);
  return suggest(beginning(await containersOf(first, context), typed.word));
};

/** A container of the Pod that the first argument names. */
const containerOfPod: Completer = async ({ args: [first], word }, context) =>
  suggest(first === undefined ? [] : beginning(await containersOf(first, context), word));

/** A Pod or Service, then one of its ports. */
const podAndPort: Completer = async (typed, context) => {
  const [first, ...more] = typed.args;
  if (first === undefined) return podOrOwner(typed, context);
  if (more.length > 0) return suggest([]);
  const [type = "", name] = first.split("/");
  const ports =
    name !== undefined && serviceTypes.has(type)
      ? await servicePorts(name, context)
      : await podPorts(first, context);
  const local = typed.word.split(":")[0] ?? "";
  const pairs = ports.map((port) => `${local === "" ? port : local}:${port}`);
  return suggest(beginning(pairs, typed.word));
};

/** A file here or in a Pod. */
const fileOrPod: Completer = async ({ args, word }, context) => {
  const noFilter = (words: readonly string[]): Suggestions => ({
    suggestions: words.map((each) => ({ word: each })),
    directive: directive.noSpace,
  });
  if (args.length > 0 || /^[/.~]/.test(word) || word.includes(":")) return noFilter([]);
  const slash = word.indexOf("/");
  if (slash > 0) {
    const pods = await objectsOf("pods", context, word.slice(0, slash));
    const places = pods.map(
      ({ metadata }) => `${metadata?.namespace ?? ""}/${metadata?.name ?? ""}:`,
    );
    return noFilter(beginning(places, word));
  }
  const namespaces = (await namesOf("namespaces", context)).map((name) => `${name}/`);
  const pods = (await namesOf("pods", context)).map((name) => `${name}:`);
  const found = [...beginning(namespaces, word), ...beginning(pods, word)];
  if (word === "") return noFilter([...found, "./", "/"]);
  return noFilter(found.length === 0 ? [] : [...found, ...(await filesHere(word, context))]);
};

async function filesHere(prefix: string, { cwd }: Context): Promise<string[]> {
  const entries = await readdir(cwd, { withFileTypes: true });
  return entries
    .filter(({ name }) => name.startsWith(prefix))
    .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
    .sort();
}

const podCompleters: Readonly<Record<PodCompletion, Completer>> = {
  pod,
  "pod and container": podAndContainer,
  "pod and port": podAndPort,
  "file or pod": fileOrPod,
  container: containerOfPod,
};
