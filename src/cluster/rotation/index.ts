import type { Operation } from "../base/operation.ts";
import { rotateAuthority } from "./rotate-authority.ts";
import { rotateEncryption } from "./rotate-encryption.ts";
import { rotateServiceAccount } from "./rotate-service-account.ts";

/** What can be rotated. */
interface Rotation {
  readonly subject: string;
  readonly operation: Operation<object>;
  /** What the user may have to do then. */
  readonly afterwards?: string;
}

const userFiles =
  "Kubeconfigs that were made by hand, or by `k8ts user add`, have certificates of the old authority: make them again.";

/** The rotations of `k8ts certificate rotate`. */
export const rotations: readonly Rotation[] = [
  { subject: "ca", operation: rotateAuthority("ca"), afterwards: userFiles },
  { subject: "front-proxy-ca", operation: rotateAuthority("front-proxy-ca") },
  { subject: "kubelet-ca", operation: rotateAuthority("kubelet-ca") },
  { subject: "service-account", operation: rotateServiceAccount },
  { subject: "encryption", operation: rotateEncryption },
];
