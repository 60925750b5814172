import { type Secret, secrets } from "#/api/core/v1.ts";
import type { Client } from "#/client/client.ts";
import { ignoreNotFound } from "#/machinery/meta/status-error.ts";
import type { Logger } from "#/std/log/log.ts";
import type { Clock } from "#/std/time/clock.ts";
import {
  type AuthorityFiles,
  isUsableAuthority,
  LocalAuthority,
  makeAuthority,
} from "./backends/local-authority.ts";

interface AuthorityOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
  /** The namespace of the Secret with the authority. */
  readonly namespace: string;
  readonly domain: string;
}

const secretName = "local-authority";

/**
 * The authority for names below the local domain, from its Secret, which is made if there is none. Undefined if it can't
 * be had: such names then get the gateway's self-signed certificate.
 */
export async function openLocalAuthority(
  options: AuthorityOptions,
): Promise<LocalAuthority | undefined> {
  const { clock, log, domain } = options;
  try {
    return new LocalAuthority(await readOrMake(options), domain, clock);
  } catch (error) {
    log.error(error, "failed to open the local authority");
    return undefined;
  }
}

async function readOrMake(options: AuthorityOptions): Promise<AuthorityFiles> {
  const { client, clock, namespace, domain } = options;
  const found = await client.get(secrets, { namespace, name: secretName }).catch(ignoreNotFound);
  const files = found && filesOf(found);
  if (files && isUsableAuthority(files.certificate, clock.now())) return files;
  const made = makeAuthority(domain, clock.now());
  const encoded = (text: string): string => Buffer.from(text).toString("base64");
  const secret: Secret = {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: secretName, namespace },
    type: "kubernetes.io/tls",
    data: { "tls.crt": encoded(made.certificate), "tls.key": encoded(made.key) },
  };
  if (found) await client.update(secrets, { ...secret, metadata: found.metadata });
  else await client.create(secrets, secret);
  return made;
}

function filesOf({ data }: Secret): AuthorityFiles {
  const part = (name: string): string => Buffer.from(data?.[name] ?? "", "base64").toString();
  return { certificate: part("tls.crt"), key: part("tls.key") };
}
