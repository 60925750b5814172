/** Upstream: pkg/kubelet/certificate/bootstrap/bootstrap.go (isClientConfigStillValid). */
import { X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { User } from "#/client/kubeconfig/kubeconfig.ts";
import { loadKubeconfig } from "#/client/kubeconfig/kubeconfig-files.ts";
import { selectContext } from "#/client/kubeconfig/select-context.ts";
import { logger } from "#/std/log/log.ts";
import type { Clock } from "#/std/time/clock.ts";

const log = logger("kubelet");

/** Whether a kubeconfig can be read and its client certificates, if it has any, have not expired. */
export async function isStillValid(path: string, clock: Clock): Promise<boolean> {
  try {
    const { config } = await loadKubeconfig(path);
    const { user } = selectContext(config);
    const certificates = await certificatesOf(user ?? {});
    const isExpired = certificates.some((one) => one.validToDate.getTime() <= clock.now());
    if (isExpired) log.info("client certificate has expired", { kubeconfig: path });
    return !isExpired;
  } catch (error) {
    log.v(2, "failed to load kubeconfig", { kubeconfig: path, error: (error as Error).message });
    return false;
  }
}

async function certificatesOf(user: User): Promise<readonly X509Certificate[]> {
  const data = user["client-certificate-data"];
  const file = user["client-certificate"];
  if (!data && !file) return [];
  const text = data ? Buffer.from(data, "base64").toString() : await readFile(file ?? "", "utf8");
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  return blocks.map((pem) => new X509Certificate(pem));
}
