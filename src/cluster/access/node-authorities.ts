import { createHash } from "node:crypto";
import { authoritiesName } from "./server-roles.ts";
import { isSignedText, signText } from "./signed-text.ts";

/** The authorities of a cluster, for its nodes: each the one that signs, then the others that are trusted. PEM. */
export interface NodeAuthorities {
  /** For the API server and its clients. */
  readonly ca: string;
  /** For the servers of kubelets. */
  readonly kubeletCa: string;
}

export const authoritiesNamespace = "kube-public";

/** The annotation by which a node says what it has followed. */
export const followedAnnotation = "k8ts.dev/authorities";

/** What a node that has followed says. */
export const digestOf = ({ ca, kubeletCa }: NodeAuthorities): string =>
  createHash("sha256").update(`${ca}\n${kubeletCa}`).digest("hex").slice(0, 32);

const signedPart = ({ ca, kubeletCa }: NodeAuthorities): string => JSON.stringify([ca, kubeletCa]);

/** The ConfigMap with the authorities, signed by the one that signs now. */
export async function authoritiesConfigMap(
  pki: string,
  authorities: NodeAuthorities,
): Promise<object> {
  const { ca, kubeletCa } = authorities;
  const signature = await signText(pki, "authorities of nodes", signedPart(authorities));
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: authoritiesName, namespace: authoritiesNamespace },
    data: { "ca.crt": ca, "kubelet-ca.crt": kubeletCa, signature },
  };
}

/** The authorities in a ConfigMap; undefined if it lacks one. Throws unless one that is trusted already has signed them. */
export function readAuthorities(object: unknown, trusted: string): NodeAuthorities | undefined {
  const { data = {} } = object as { data?: Readonly<Record<string, string>> };
  const [ca, kubeletCa, signature = ""] = [
    data["ca.crt"],
    data["kubelet-ca.crt"],
    data["signature"],
  ];
  if (!ca || !kubeletCa) return undefined;
  const authorities = { ca, kubeletCa };
  const text = signedPart(authorities);
  if (isSignedText(trusted, "authorities of nodes", { text, signature })) return authorities;
  throw new Error("no authority that this node trusts has signed the new ones");
}
