/** Upstream: pkg/controller/serviceaccount/tokens_controller.go, pkg/serviceaccount/legacy.go. */
import { createPrivateKey, createPublicKey } from "node:crypto";
import { readFileSync } from "node:fs";
import { type Secret, type ServiceAccount, secrets, serviceAccounts } from "#/api/core/v1.ts";
import { keyOf, refOf } from "#/client/object-key.ts";
import { type ControllerContext, controller, watch } from "#/controller/controller.ts";
import { ignoreNotFound } from "#/machinery/meta/status-error.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { keyIdOf, signJwt } from "#/std/x509/jwt.ts";
import type { ManagerOptions } from "../base/manager-options.ts";

type Context = ControllerContext<ManagerOptions>;

const secretType = "kubernetes.io/service-account-token";
const nameKey = "kubernetes.io/service-account.name";
const uidKey = "kubernetes.io/service-account.uid";

const accountOf = ({ metadata }: Secret): string => metadata.annotations?.[nameKey] ?? "";

/** The key of the account of a token. */
const tokenAccount = (secret: Secret): string[] =>
  secret.type === secretType ? [`${secret.metadata.namespace}/${accountOf(secret)}`] : [];

/** Fills Secrets of type service account token, and deletes those of deleted accounts. */
export const accountTokenController = controller<Secret, ManagerOptions>({
  name: "serviceaccount-token-controller",
  for: secrets,
  queue: "serviceaccount_tokens_secret",
  workers: ({ flags }) => flags["concurrent-serviceaccount-token-syncs"],
  watches: [
    watch(serviceAccounts, ({ metadata }, { informers }: Context) =>
      informers
        .informer(secrets, { indexes: { tokenAccount } })
        .store.byIndex("tokenAccount", `${metadata.namespace}/${metadata.name}`)
        .map(keyOf),
    ),
  ],
  predicate: (now) => now?.type === secretType,
  reconcile,
});

async function reconcile(secret: Secret, context: Context): Promise<void> {
  const { client, informers, options } = context;
  const { namespace = "" } = secret.metadata;
  const keyFile = options.flags["service-account-private-key-file"];
  const name = accountOf(secret);
  if (secret.type !== secretType || name === "" || keyFile === "") return;
  const uid = secret.metadata.annotations?.[uidKey];
  const known = informers.informer(serviceAccounts).store.get(namespace, name);
  const account =
    known ?? (await client.get(serviceAccounts, { name, namespace }).catch(ignoreNotFound));
  if (!account || (uid !== undefined && uid !== account.metadata.uid)) {
    const preconditions = { uid: secret.metadata.uid ?? "" };
    await client.delete(secrets, refOf(secret), { preconditions }).catch(ignoreNotFound);
    return;
  }
  const data = await desiredData(secret, account, context);
  const annotations = {
    ...secret.metadata.annotations,
    [nameKey]: account.metadata.name ?? "",
    [uidKey]: account.metadata.uid ?? "",
  };
  const isSame =
    deepEqual(data, secret.data) && deepEqual(annotations, secret.metadata.annotations);
  if (isSame) return;
  await client.update(secrets, { ...secret, metadata: { ...secret.metadata, annotations }, data });
}

/** The desired data of the Secret; an existing token is kept. */
async function desiredData(secret: Secret, account: ServiceAccount, { options }: Context) {
  const { flags } = options;
  const { namespace = "" } = secret.metadata;
  const encode = (text: string | Buffer): string => Buffer.from(text).toString("base64");
  const rootCa = flags["root-ca-file"] === "" ? undefined : readFileSync(flags["root-ca-file"]);
  return {
    ...secret.data,
    ...(rootCa ? { "ca.crt": encode(rootCa) } : {}),
    namespace: secret.data?.["namespace"] || encode(namespace),
    token: secret.data?.["token"] || encode(await signedToken(secret, account, flags)),
  };
}

function signedToken(
  secret: Secret,
  account: ServiceAccount,
  flags: ManagerOptions["flags"],
): Promise<string> {
  const key = createPrivateKey(readFileSync(flags["service-account-private-key-file"]));
  const { name, namespace, uid } = account.metadata;
  const prefix = "kubernetes.io/serviceaccount/";
  return signJwt(key, keyIdOf(createPublicKey(key)), {
    iss: "kubernetes/serviceaccount",
    [`${prefix}namespace`]: namespace,
    [`${prefix}secret.name`]: secret.metadata.name,
    [`${prefix}service-account.name`]: name,
    [`${prefix}service-account.uid`]: uid,
    sub: `system:serviceaccount:${namespace}:${name}`,
  });
}
