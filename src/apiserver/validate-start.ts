import { readFile } from "node:fs/promises";
import { enabledFeatures } from "#/machinery/component/feature-gates.ts";
import { systemClock } from "#/std/time/clock.ts";
import { readAdmissionConfiguration } from "./admission/base/admission-configuration.ts";
import { parseAuditPolicy } from "./audit/audit-policy.ts";
import { readAuthorizationConfiguration } from "./auth/authorization-configuration.ts";
import { readAuthenticationConfiguration } from "./auth/oidc/authentication-configuration.ts";
import { parseEncryptionConfiguration } from "./encryption/encryption-rules.ts";

import type { ApiServerFlags } from "./flags/index.ts";
import { validateFlags } from "./flags/validate-flags.ts";

/** Rejects if the server would not start with these flags and the configuration files that they name. */
export async function validateStart(flags: ApiServerFlags): Promise<void> {
  validateFlags(flags, enabledFeatures(flags["feature-gates"]));
  const issuers = flags["service-account-issuer"] ?? [];
  await checkFile(flags["audit-policy-file"], parseAuditPolicy);
  await checkFile(flags["authorization-config"], readAuthorizationConfiguration);
  await checkFile(flags["authentication-config"], (text) =>
    readAuthenticationConfiguration(text, issuers),
  );
  await checkFile(flags["encryption-provider-config"], checkEncryption);
  await readAdmissionConfiguration(flags["admission-control-config-file"]);
}

async function checkFile(
  file: string,
  parse: (text: string, file: string) => unknown,
): Promise<void> {
  if (file !== "") parse(await readFile(file, "utf8"), file);
}

function checkEncryption(text: string): void {
  for (const { providers } of parseEncryptionConfiguration(text, systemClock)) {
    for (const provider of providers) {
      if (typeof provider === "object" && Symbol.dispose in provider) {
        (provider as Disposable)[Symbol.dispose]();
      }
    }
  }
}
