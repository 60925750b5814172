/** Upstream: pkg/controller/bootstrap/bootstrapsigner.go, staging/src/k8s.io/cluster-bootstrap/token/jws/jws.go. */
import { type ConfigMap, configMaps, type Secret, secrets } from "#/api/core/v1.ts";
import { controller, watch } from "#/controller/controller.ts";
import {
  bootstrapTokenType,
  tokenExpiresInMs,
  tokenField,
} from "#/machinery/component/bootstrap-token.ts";
import { ignoreNotFound } from "#/machinery/meta/status-error.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { signDetached } from "#/std/x509/sign-detached.ts";
import type { ManagerOptions } from "../base/manager-options.ts";

const infoKey = "kube-public/cluster-info";

const tokenNamespace = "kube-system";

const signaturePrefix = "jws-kubeconfig-";

/** Signs the public cluster-info ConfigMap, so that the holder of a token can verify it. */
export const bootstrapSignerController = controller<ConfigMap, ManagerOptions>({
  name: "bootstrap-signer-controller",
  for: configMaps,
  queue: "bootstrap_signer_queue",
  workers: 1,
  predicate: (now) => now !== undefined && isClusterInfo(now),
  watches: [watch(secrets, (secret) => (isToken(secret) ? [infoKey] : []))],
  async reconcile(info, { client, informers, clock }) {
    const content = info.data?.["kubeconfig"];
    if (!isClusterInfo(info) || content === undefined) return undefined;
    const tokens = informers.informer(secrets).store.listNamespace(tokenNamespace).filter(isToken);
    const nowMs = clock.now();
    const signing = tokens.filter((secret) => maySign(secret, nowMs));
    const others = Object.entries(info.data ?? {}).filter(([key]) => !isSignature(key));
    const signatures = signing.map((secret) => {
      const id = tokenField(secret, "token-id");
      return [signaturePrefix + id, signDetached(content, id, tokenField(secret, "token-secret"))];
    });
    const data: Record<string, string> = Object.fromEntries([...others, ...signatures]);
    if (!deepEqual(data, info.data)) {
      await client.update(configMaps, { ...info, data }).catch(ignoreNotFound);
    }
    const ends = signing.map((secret) => tokenExpiresInMs(secret, nowMs) ?? Infinity);
    const next = Math.min(...ends);
    return { afterMs: Number.isFinite(next) ? next : undefined };
  },
});

const isClusterInfo = ({ metadata }: ConfigMap): boolean =>
  `${metadata.namespace}/${metadata.name}` === infoKey;

const isToken = ({ metadata, type }: Secret): boolean =>
  type === bootstrapTokenType && metadata.namespace === tokenNamespace;

const isSignature = (key: string): boolean => key.startsWith(signaturePrefix);

/** Whether a Secret holds a valid token under its own name that may sign. */
function maySign(secret: Secret, nowMs: number): boolean {
  const id = tokenField(secret, "token-id");
  return (
    /^[a-z0-9]{6}$/.test(id) &&
    secret.metadata.name === `bootstrap-token-${id}` &&
    tokenField(secret, "token-secret") !== "" &&
    tokenExpiresInMs(secret, nowMs) !== 0 &&
    tokenField(secret, "usage-bootstrap-signing") === "true"
  );
}
