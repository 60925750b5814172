import { askServer } from "../access/ask-server.ts";
import type { BootstrapToken } from "../access/bootstrap-token.ts";
import type { ServerSession } from "../access/server-session.ts";
import { CommandFailure } from "../base/command-failure.ts";
import { ownCommand } from "../base/own-command.ts";

/** Validity (ms) of a token for servers, with which its keys go. */
export const serverTokenMs = 2 * 3600 * 1000;

const namespace = "kube-system";
const nameOf = (tokenId: string): string => `k8ts-server-keys-${tokenId}`;

/**
 * The objects by which the machine with a token gets the sealed keys, and nothing else. They belong to the Secret of the token:
 * when that expires, they are removed with it.
 *
 * Upstream: cmd/kubeadm/app/phases/copycerts.
 */
export function keysObjects({ id }: BootstrapToken, tokenUid: string, sealed: Buffer): object {
  const name = nameOf(id);
  const metadata = {
    name,
    namespace,
    ownerReferences: [
      { apiVersion: "v1", kind: "Secret", name: `bootstrap-token-${id}`, uid: tokenUid },
    ],
  };
  const group = "rbac.authorization.k8s.io";
  const rule = { apiGroups: [""], resources: ["secrets"], resourceNames: [name], verbs: ["get"] };
  const user = { apiGroup: group, kind: "User", name: `system:bootstrap:${id}` };
  const items = [
    { apiVersion: "v1", kind: "Secret", metadata, data: { keys: sealed.toString("base64") } },
    { apiVersion: `${group}/v1`, kind: "Role", metadata, rules: [rule] },
    {
      apiVersion: `${group}/v1`,
      kind: "RoleBinding",
      metadata,
      roleRef: { apiGroup: group, kind: "Role", name },
      subjects: [user],
    },
  ];
  return { apiVersion: "v1", kind: "List", items };
}

/** Removes the keys of all tokens: machines that join by them would get keys that the cluster no longer has. */
export async function removeServerKeys(session: ServerSession): Promise<void> {
  const secrets = `/api/v1/namespaces/${namespace}/secrets`;
  const { items } = await session.json<SecretList>("GET", secrets);
  for (const { metadata } of items) {
    if (!metadata.name.startsWith(nameOf(""))) continue;
    const path = `${secrets}/${metadata.name}`;
    const { status, text } = await session.ask("DELETE", path);
    if (status >= 300 && status !== 404) throw new CommandFailure(`${path}: ${text.slice(0, 200)}`);
  }
}

interface SecretList {
  readonly items: readonly { readonly metadata: { readonly name: string } }[];
}

/** Fetches the sealed keys of a token from a server. */
export async function fetchKeys(
  server: string,
  authority: string,
  { id, secret }: BootstrapToken,
): Promise<Buffer> {
  const path = `/api/v1/namespaces/${namespace}/secrets/${nameOf(id)}`;
  const token = `${id}.${secret}`;
  const { status, body } = await askServer(new URL(path, server), { authority, token });
  // Without the Secret's role, the server does not say whether there is one.
  if (status === 403 || status === 404) {
    throw new CommandFailure(
      `${server} has no keys for this token: it is one for agents, or its two hours are over\n  make another on a server: ${ownCommand("token create --server")}`,
    );
  }
  if (status !== 200)
    throw new CommandFailure(`${server} answered with ${status}: ${body.slice(0, 200)}`);
  const { data } = JSON.parse(body) as { data?: { keys?: string } };
  return Buffer.from(data?.keys ?? "", "base64");
}
