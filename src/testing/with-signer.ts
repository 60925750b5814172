import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { csrSigningController } from "#/controllers/certificates/sign.ts";
import { systemClock } from "#/std/time/clock.ts";
import { selfSign } from "#/std/x509/issue-certificate.ts";
import { generateKey, keyPem } from "#/std/x509/signing-key.ts";
import { runControllersOn } from "./run-controllers-on.ts";
import { startApiServer, type TestApiServer } from "./start-api-server.ts";

/** A server whose controller signs what is approved. */
export async function withSigner(work: (api: TestApiServer) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "k8ts-user-"));
  try {
    const key = generateKey();
    const now = systemClock.now();
    const validity = { notBefore: now - 1000, notAfter: now + 86_400_000 };
    const subject = { commonName: "ca" };
    const authority = selfSign(
      { subject, usages: ["cert sign"], isAuthority: true, ...validity },
      key,
    );
    writeFileSync(join(folder, "ca.crt"), authority);
    writeFileSync(join(folder, "ca.key"), keyPem(key));
    const files = ["cert", "key"].map(
      (part) => `--cluster-signing-${part}-file=${folder}/ca.${part === "cert" ? "crt" : "key"}`,
    );
    await using api = await startApiServer();
    await using _signer = runControllersOn(api, [csrSigningController], { args: files });
    await work(api);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
