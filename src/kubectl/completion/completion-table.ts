/** Upstream: the ValidArgsFunction and RegisterFlagCompletionFunc of k8s.io/kubectl/pkg/cmd. */
import { getFormats } from "../commands/get/get-formats.ts";
import {
  allOf,
  containerOfPod,
  fileOrPod,
  firstOf,
  kubeconfigName,
  nameOfType,
  oneKubeconfigName,
  oneNameOfType,
  pod,
  podAndContainer,
  podAndPort,
  typesAndNames,
  wordsOf,
} from "./completers.ts";
import { directive } from "./directive.ts";
import type { Completer } from "./suggestions.ts";

const any = typesAndNames();
const rollable = typesAndNames({ types: ["deployment", "daemonset", "statefulset"] });
const pausable = typesAndNames({ types: ["deployment"] });
const scalable = typesAndNames({
  types: ["deployment", "replicaset", "replicationcontroller", "statefulset"],
});
const withImages = [
  "daemonsets",
  "deployments",
  "pods",
  "cronjobs",
  "replicasets",
  "replicationcontrollers",
  "statefulsets",
];
const exposable = ["pod", "service", "replicationcontroller", "deployment", "replicaset"];
const node = oneNameOfType("nodes");

/** What the arguments of commands may be, by the names of the commands. */
export const argumentCompleters: Readonly<Record<string, Completer>> = {
  annotate: any,
  "apply edit-last-applied": any,
  "apply view-last-applied": any,
  attach: pod,
  autoscale: scalable,
  completion: firstOf(["bash", "fish", "powershell", "zsh"]),
  "config delete-cluster": oneKubeconfigName("clusters"),
  "config delete-context": oneKubeconfigName("contexts"),
  "config delete-user": oneKubeconfigName("users"),
  "config rename-context": oneKubeconfigName("contexts"),
  "config set-context": oneKubeconfigName("contexts"),
  "config use-context": oneKubeconfigName("contexts"),
  cordon: node,
  cp: fileOrPod,
  "create token": oneNameOfType("serviceaccounts"),
  debug: any,
  delete: any,
  describe: any,
  drain: node,
  edit: any,
  exec: pod,
  expose: typesAndNames({ types: exposable }),
  get: any,
  label: any,
  logs: podAndContainer,
  patch: any,
  "port-forward": podAndPort,
  "rollout history": rollable,
  "rollout pause": pausable,
  "rollout restart": rollable,
  "rollout resume": pausable,
  "rollout status": typesAndNames({
    types: ["deployment", "daemonset", "statefulset"],
    repeats: false,
  }),
  "rollout undo": rollable,
  scale: scalable,
  "set image": typesAndNames({ types: withImages, repeats: false }),
  taint: typesAndNames({ types: ["node"] }),
  "top node": node,
  "top pod": oneNameOfType("pods"),
  uncordon: node,
};

/** What the values of global flags may be. */
export const globalFlagCompleters: Readonly<Record<string, Completer>> = {
  namespace: nameOfType("namespaces"),
  context: kubeconfigName("contexts"),
  cluster: kubeconfigName("clusters"),
  user: kubeconfigName("users"),
};

/** What the values of flags of all commands that have them may be. */
export const sharedFlagCompleters: Readonly<Record<string, Completer>> = {
  filename: () => ({
    suggestions: ["json", "yaml", "yml"].map((word) => ({ word })),
    directive: directive.filterExtensions,
  }),
};

const subresource = allOf(["status", "scale", "resize"]);

/** What the values of flags of one command may be, by its names and the flag's. */
export const flagCompleters: Readonly<Record<string, Completer>> = {
  "apply --subresource": subresource,
  "config set-context --namespace": nameOfType("namespaces"),
  "create clusterrolebinding --clusterrole": nameOfType("clusterroles"),
  "edit --subresource": subresource,
  "exec --container": containerOfPod,
  "get --output": wordsOf(getFormats),
  "get --subresource": subresource,
  "patch --subresource": subresource,
  "replace --subresource": subresource,
};
