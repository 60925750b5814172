/** Upstream: pkg/kubelet/certificate/bootstrap/bootstrap.go, staging/src/k8s.io/client-go/util/certificate/certificate_manager.go. */

import { Client } from "#/client/client.ts";
import { loadKubeconfig } from "#/client/kubeconfig/kubeconfig-files.ts";
import { selectContext } from "#/client/kubeconfig/select-context.ts";
import { transportTo } from "#/client/kubeconfig/transport-for.ts";
import { writeKubeconfig } from "#/client/kubeconfig/write-kubeconfig.ts";
import { userAgent } from "#/client/transport/user-agent.ts";
import { isStatusError } from "#/machinery/meta/status-error.ts";
import { type Random, systemRandom } from "#/std/base/random.ts";
import { logger } from "#/std/log/log.ts";
import type { Clock } from "#/std/time/clock.ts";
import { generateKey, keyPem } from "#/std/x509/signing-key.ts";
import { CertificateStore } from "./certificate-store.ts";
import { isStillValid } from "./kubeconfig-validity.ts";
import { type CertificateParameters, requestCertificate } from "./request-certificate.ts";

const log = logger("kubelet");

const signerName = "kubernetes.io/kube-apiserver-client-kubelet";
const usages = ["digital signature", "client auth"] as const;
const retryMs = 10_000;

export interface BootstrapOptions {
  readonly kubeconfig: string;
  readonly bootstrapKubeconfig: string;
  readonly certificateDirectory: string;
  readonly nodeName: string;
  readonly clock: Clock;
}

const storeOf = (directory: string): CertificateStore =>
  new CertificateStore(directory, "kubelet-client");

function clientCertificate(nodeName: string): CertificateParameters {
  const subject = { commonName: `system:node:${nodeName}`, organizations: ["system:nodes"] };
  return { signerName, usages, subject, key: generateKey() };
}

/**
 * Writes the kubeconfig of a node that has only a bootstrap token, or whose certificate has expired: requests a
 * certificate with that token.
 */
export async function bootstrapKubeconfig(
  options: BootstrapOptions,
  signal: AbortSignal,
): Promise<void> {
  const { kubeconfig, bootstrapKubeconfig: given, clock, nodeName } = options;
  if (given === "" || (await isStillValid(kubeconfig, clock))) return;
  const { config } = await loadKubeconfig(given);
  const { cluster, user } = selectContext(config);
  const store = storeOf(options.certificateDirectory);
  await using transport = transportTo({ cluster, user }, { userAgent: userAgent("kubelet") });
  const parameters = clientCertificate(nodeName);
  log.info("requesting client certificate", { node: nodeName });
  const certificate = await requestCertificate(new Client(transport), parameters, clock, signal);
  await store.save(certificate, keyPem(parameters.key), clock.now());
  await writeKubeconfig(kubeconfig, {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "default-cluster", cluster }],
    users: [
      {
        name: "default-auth",
        user: { "client-certificate": store.path, "client-key": store.path },
      },
    ],
    contexts: [
      { name: "default-context", context: { cluster: "default-cluster", user: "default-auth" } },
    ],
    "current-context": "default-context",
  });
}

interface RotationOptions {
  readonly client: Client;
  readonly store: CertificateStore;
  /** Called for each request: each has a key of its own. */
  readonly parameters: () => CertificateParameters;
  readonly clock: Clock;
  readonly random?: Random;
  /** Whether the next start of the kubelet can request a certificate with its bootstrap token. */
  readonly canBootstrap: boolean;
}

/** The rotation of the node's client certificate, if that is in the kubelet's own store. */
export function clientRotation(client: Client, options: BootstrapOptions): RotationOptions {
  const { certificateDirectory, nodeName, clock, bootstrapKubeconfig: given } = options;
  const store = storeOf(certificateDirectory);
  const parameters = () => clientCertificate(nodeName);
  return { client, store, clock, parameters, canBootstrap: given !== "" };
}

/**
 * Renews a certificate after 70 to 90 % of its lifetime, repeatedly, until the signal aborts. Rejects when the server
 * refuses an expired certificate and a restart can bootstrap another.
 */
export async function rotateCertificate(
  options: RotationOptions,
  signal: AbortSignal,
): Promise<void> {
  const { store, clock, client, random = systemRandom } = options;
  while (!signal.aborted) {
    try {
      const validity = await store.validity();
      if (!validity) return;
      const { fromMs, toMs } = validity;
      const dueMs = fromMs + (toMs - fromMs) * (0.7 + 0.2 * random());
      await store.untilDue(dueMs, clock, signal);
      const parameters = options.parameters();
      const certificate = await requestCertificate(client, parameters, clock, signal);
      await store.save(certificate, keyPem(parameters.key), clock.now());
      log.info("renewed certificate", { path: store.path });
    } catch (error) {
      if (signal.aborted) return;
      log.error(error, "failed to renew certificate");
      if (
        options.canBootstrap &&
        isStatusError(error, "Unauthorized") &&
        (await isExpired(options))
      )
        throw new Error(
          "The currently active client certificate has expired and the server is responsive, exiting.",
        );
      await clock.sleep(retryMs, signal).catch(() => undefined);
    }
  }
}

async function isExpired({ store, clock }: RotationOptions): Promise<boolean> {
  const validity = await store.validity();
  return validity !== undefined && validity.toMs <= clock.now();
}
