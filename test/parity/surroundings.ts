import { createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import type { RequestListener } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "#/std/time/clock.ts";
import {
  type AlternativeNames,
  type Issuer,
  issueCertificate,
  type Subject,
  selfSign,
} from "#/std/x509/issue-certificate.ts";
import { keyIdOf, signJwt } from "#/std/x509/jwt.ts";
import { generateKey, keyPem } from "#/std/x509/signing-key.ts";
import type { Credential, Surroundings } from "./case.ts";

const dayMs = 24 * 3600 * 1000;

/** An authority of its own, whose files are in a directory. */
export interface TestIssuer extends Issuer {
  readonly file: string;
}

interface Wanted {
  readonly subject: Subject;
  readonly usage: "client auth" | "server auth";
  readonly names?: AlternativeNames;
  /** Whether its validity is over. */
  readonly expired?: boolean;
}

/** Creates the files of a kube-apiserver configuration and the servers it calls; disposing removes them. */
export class SurroundingsBuilder implements AsyncDisposable {
  readonly directory: string;
  readonly authority: TestIssuer;
  readonly #stack: AsyncDisposableStack;

  private constructor(directory: string, authority: TestIssuer, stack: AsyncDisposableStack) {
    this.directory = directory;
    this.authority = authority;
    this.#stack = stack;
  }

  static async open(): Promise<SurroundingsBuilder> {
    const stack = new AsyncDisposableStack();
    const directory = await mkdtemp(join(tmpdir(), "parity-around-"));
    stack.defer(() => rm(directory, { recursive: true, force: true }));
    return new SurroundingsBuilder(directory, await newAuthority(directory, "authority"), stack);
  }

  /** Writes a file and returns its path. */
  async file(name: string, content: string | object): Promise<string> {
    const path = join(this.directory, name);
    await writeFile(path, typeof content === "string" ? content : JSON.stringify(content));
    return path;
  }

  /** Another authority. */
  newAuthority(name: string): Promise<TestIssuer> {
    return newAuthority(this.directory, name);
  }

  /** Serves TLS at a port of its own until it is disposed of; returns its URL. */
  async serve(listener: RequestListener): Promise<string> {
    const subject = { commonName: "localhost" };
    const { cert, key } = certify(this.authority, {
      subject,
      usage: "server auth",
      names: { ips: ["127.0.0.1"] },
    });
    const server = createServer({ cert, key }, listener);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    this.#stack.defer(() => {
      server.closeAllConnections();
      server.close();
    });
    return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  /** A webhook that answers reviews by their kind; returns its kubeconfig. */
  async webhook(answers: Readonly<Record<string, (spec: never) => object>>): Promise<string> {
    const server = await this.serve(async (request, response) => {
      let text = "";
      for await (const chunk of request) text += chunk;
      const review = JSON.parse(text) as { kind: string; spec: never };
      const status = answers[review.kind]?.(review.spec) ?? {};
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ ...review, status }));
    });
    const cluster = { server: `${server}/`, "certificate-authority": this.authority.file };
    return this.file("webhook.kubeconfig", {
      apiVersion: "v1",
      kind: "Config",
      "current-context": "c",
      contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
      clusters: [{ name: "c", cluster }],
      users: [{ name: "u", user: {} }],
    });
  }

  /** The surroundings of the cases. */
  surround(
    flags: readonly string[],
    credentials: Readonly<Record<string, Credential>> = {},
  ): Surroundings {
    return {
      flags,
      credentials,
      conceal,
      [Symbol.asyncDispose]: () => this[Symbol.asyncDispose](),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }
}

/** Ports, digests of certificates and tokens differ in every run. */
const conceal = (text: string): string =>
  text
    .replaceAll(/127\.0\.0\.1:\d+/g, "127.0.0.1:{port}")
    .replaceAll(/X509SHA256=[0-9a-f]{64}/g, "X509SHA256={digest}");

async function newAuthority(directory: string, name: string): Promise<TestIssuer> {
  const key = generateKey();
  const now = systemClock.now();
  const certificate = selfSign(
    {
      subject: { commonName: name },
      usages: ["cert sign"],
      isAuthority: true,
      notBefore: now - dayMs,
      notAfter: now + dayMs,
    },
    key,
  );
  const file = join(directory, `${name}.crt`);
  await writeFile(file, certificate);
  return { certificate, key, file };
}

/** A certificate and its key. */
export function certify(
  issuer: Issuer,
  { subject, usage, names = {}, expired = false }: Wanted,
): { readonly cert: string; readonly key: string } {
  const key = generateKey();
  const now = systemClock.now();
  const cert = issueCertificate(
    {
      subject,
      publicKey: createPublicKey(key),
      names,
      usages: ["digital signature", usage],
      notBefore: now - dayMs / 2,
      notAfter: expired ? now - dayMs / 4 : now + dayMs / 2,
    },
    issuer,
  );
  return { cert, key: keyPem(key) };
}

/** An OpenID Connect issuer with one key. */
export async function openIssuer(builder: SurroundingsBuilder) {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const id = keyIdOf(publicKey);
  let url = "";
  url = await builder.serve((request, response) => {
    const jwk = { ...publicKey.export({ format: "jwk" }), kid: id, use: "sig", alg: "RS256" };
    const discovery = { issuer: url, jwks_uri: `${url}/keys` };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify(request.url === "/keys" ? { keys: [jwk] } : discovery));
  });
  const seconds = Math.floor(systemClock.now() / 1000);
  const sign = (claims: object, key: KeyObject = privateKey): Promise<string> =>
    signJwt(key, id, { iss: url, aud: "kube", sub: "jane", exp: seconds + 3600, ...claims });
  return { url, sign, expired: seconds - 3600 };
}
