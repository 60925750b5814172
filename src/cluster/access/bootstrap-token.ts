/** Upstream: k8s.io/cluster-bootstrap/token/api, cmd/kubeadm/app/apis/bootstraptoken. */
import { randomBytes } from "node:crypto";

/** A token by which a machine may become a node: ID.SECRET. */
export interface BootstrapToken {
  readonly id: string;
  readonly secret: string;
}

const alphabet = "0123456789abcdefghijklmnopqrstuvwxyz";
const tokenPattern = /^([a-z0-9]{6})\.([a-z0-9]{16})$/;
/** The group that manifests/kubelet.yaml allows to request a node's certificate. */
const nodeGroup = "system:bootstrappers:k8ts:default-node-token";
/** The group of tokens for servers, which have no other rights than to fetch the keys. */
export const serverGroup = "system:bootstrappers:k8ts:server-token";

export function generateToken(): BootstrapToken {
  return { id: randomText(6), secret: randomText(16) };
}

/** Each character is equally likely: bytes beyond a multiple of 36 are dropped. */
function randomText(length: number): string {
  let text = "";
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < 252 && text.length < length) text += alphabet[byte % 36];
    }
  }
  return text;
}

export function parseToken(text: string): BootstrapToken | undefined {
  const [, id, secret] = tokenPattern.exec(text) ?? [];
  return id && secret ? { id, secret } : undefined;
}

/** The Secret of a token; without an expiry it is valid forever. */
export function tokenSecret(
  { id, secret }: BootstrapToken,
  expiresMs: number | undefined,
  groups = nodeGroup,
): object {
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: `bootstrap-token-${id}`, namespace: "kube-system" },
    type: "bootstrap.kubernetes.io/token",
    stringData: {
      "token-id": id,
      "token-secret": secret,
      "usage-bootstrap-authentication": "true",
      "usage-bootstrap-signing": "true",
      "auth-extra-groups": groups,
      ...(expiresMs === undefined
        ? {}
        : { expiration: new Date(expiresMs).toISOString().replace(/\.\d+/, "") }),
    },
  };
}
