import type { SecureContext } from "node:tls";
import type { Secret } from "#/api/core/v1.ts";
import type { Clock } from "#/std/time/clock.ts";
import { servingContext } from "#/std/tls/serving-context.ts";
import { makeSelfSigned } from "#/std/x509/self-signed.ts";
import type { CertificatePlan } from "../ingress/plan-ingresses.ts";
import { wildcardOf } from "../table/route-table.ts";
import type { LocalAuthority } from "./local-authority.ts";

/** Finds a Secret by "namespace/name". */
type FindSecret = (key: string) => Secret | undefined;

interface Loaded {
  readonly resourceVersion: string | undefined;
  readonly context?: SecureContext;
  /** Why there is no context. */
  readonly problem?: string;
}

/** The certificates of hosts, from Secrets. A host without a good one gets a self-signed one. */
export class Certificates {
  readonly #find: FindSecret;
  readonly #own: SecureContext;
  readonly #loaded = new Map<string, Loaded>();
  /** Certifies names below the local domain; undefined if there is none. */
  authority: LocalAuthority | undefined;
  #plan: CertificatePlan = { hosts: new Map(), fallback: undefined };

  constructor(find: FindSecret, clock: Clock) {
    this.#find = find;
    const names = ["gateway.k8ts.dev", "*.k8s.localhost", "localhost"];
    const { certificate, key } = makeSelfSigned({
      commonName: "k8ts gateway",
      names,
      now: clock.now(),
    });
    this.#own = servingContext(certificate, key);
  }

  set plan(plan: CertificatePlan) {
    this.#plan = plan;
    // Those of Secrets that are gone; the others are as many as the cluster's Secrets.
    for (const key of this.#loaded.keys()) if (!this.#find(key)) this.#loaded.delete(key);
  }

  /** The context of a Secret, or that of the gateway itself. */
  contextOf(key: string | undefined): SecureContext {
    return (key !== undefined && this.#load(key).context) || this.#own;
  }

  /** The context for the name that a client asks for. */
  readonly contextFor = (host: string): SecureContext => {
    const { hosts, fallback } = this.#plan;
    const key = hosts.get(host) ?? hosts.get(wildcardOf(host)) ?? fallback;
    return (key === undefined && this.authority?.contextFor(host)) || this.contextOf(key);
  };

  /** Why a Secret can't be used; undefined if it can. */
  problemOf(key: string): string | undefined {
    return this.#load(key).problem;
  }

  #load(key: string): Loaded {
    const secret = this.#find(key);
    const known = this.#loaded.get(key);
    const resourceVersion = secret?.metadata.resourceVersion;
    if (known && known.resourceVersion === resourceVersion) return known;
    const loaded = { resourceVersion, ...load(key, secret) };
    this.#loaded.set(key, loaded);
    return loaded;
  }
}

function load(key: string, secret: Secret | undefined): Omit<Loaded, "resourceVersion"> {
  if (!secret) return { problem: `Secret ${key} of type kubernetes.io/tls does not exist` };
  const part = (name: string): Buffer => Buffer.from(secret.data?.[name] ?? "", "base64");
  try {
    return { context: servingContext(part("tls.crt"), part("tls.key")) };
  } catch (error) {
    return { problem: `Secret ${key} has no usable certificate: ${(error as Error).message}` };
  }
}
