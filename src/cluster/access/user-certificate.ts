import { createCertificateRequest } from "#/std/x509/create-request.ts";
import { generateKey, keyPem } from "#/std/x509/signing-key.ts";
import type { ClusterPaths } from "../base/paths.ts";
import { mustKubectl } from "./kubectl.ts";

interface UserRequest {
  readonly name: string;
  readonly groups: readonly string[];
  readonly validSeconds: number;
  readonly now: number;
}

/** A user's certificate and key, as PEM. */
interface UserCertificate {
  readonly certificate: string;
  readonly key: string;
}

/** Has the cluster sign a certificate of a user, through its API: the key never leaves this process. */
export async function requestUserCertificate(
  paths: ClusterPaths,
  { name, groups, validSeconds, now }: UserRequest,
): Promise<UserCertificate> {
  // All clients read RSA keys.
  const key = generateKey("rsa");
  const subject = { commonName: name, organizations: groups };
  const requestName = `k8ts-user-${now.toString(36)}`;
  const request = {
    apiVersion: "certificates.k8s.io/v1",
    kind: "CertificateSigningRequest",
    metadata: { name: requestName },
    spec: {
      request: Buffer.from(createCertificateRequest({ subject, key })).toString("base64"),
      signerName: "kubernetes.io/kube-apiserver-client",
      expirationSeconds: validSeconds,
      usages: ["client auth", "digital signature"],
    },
  };
  await mustKubectl(paths, ["create", "-f", "-"], { input: JSON.stringify(request) });
  try {
    await mustKubectl(paths, ["certificate", "approve", requestName]);
    const jsonPath = "jsonpath={.status.certificate}";
    const wait = ["wait", `--for=${jsonPath}`, "--timeout=30s", `csr/${requestName}`];
    await mustKubectl(paths, wait);
    const signed = await mustKubectl(paths, ["get", "csr", requestName, "-o", jsonPath]);
    const certificate = Buffer.from(signed, "base64").toString("utf8");
    return { certificate, key: keyPem(key) };
  } finally {
    await mustKubectl(paths, ["delete", "csr", requestName, "--ignore-not-found"]);
  }
}
