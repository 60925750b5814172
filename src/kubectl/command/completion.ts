/**
 * The completion of a word of a command line. Data, so that a command declares it without loading the code that looks words up
 * (`completion/completers.ts`).
 */
export type Completion =
  /** TYPE NAME…, or TYPE/NAME…; every type if none are given. */
  | { readonly of: "resources"; readonly types?: readonly string[]; readonly repeats?: boolean }
  /** The name of an object of a type, or of an entry of the kubeconfig. */
  | { readonly of: "names"; readonly type: string; readonly once?: boolean }
  | { readonly of: "kubeconfig"; readonly section: KubeconfigSection; readonly once?: boolean }
  /** One word of a list. */
  | { readonly of: "words"; readonly words: readonly string[] }
  /** One word of a list as the first argument, then files. */
  | { readonly of: "first word"; readonly words: readonly string[] }
  /** All words of a list, whatever the prefix. */
  | { readonly of: "all words"; readonly words: readonly string[] }
  | { readonly of: "files"; readonly extensions: readonly string[] }
  | { readonly of: PodCompletion };

export type KubeconfigSection = "contexts" | "clusters" | "users";

/** A Pod or an object that has Pods, alone or with one of its parts; a container of the Pod that the first argument names. */
export type PodCompletion =
  | "pod"
  | "pod and container"
  | "pod and port"
  | "file or pod"
  | "container";

/** Values of `--subresource`. */
export const subresources: Completion = {
  of: "all words",
  words: ["status", "scale", "resize"],
};

/** Completion of flags that are the same in every command that has them. */
export const sharedFlagCompletions: Readonly<Record<string, Completion>> = {
  filename: { of: "files", extensions: ["json", "yaml", "yml"] },
};
