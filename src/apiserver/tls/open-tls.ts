import { X509Certificate } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { createSecureContext, type SecureContext, type TlsOptions } from "node:tls";
import { FileContent } from "#/std/files/file-content.ts";
import { FlagError } from "#/std/flags/flags.ts";
import type { Clock } from "#/std/time/clock.ts";
import { tlsSettings } from "#/std/tls/tls-settings.ts";
import { makeSelfSigned } from "#/std/x509/self-signed.ts";
import type { ApiServerFlags } from "../flags/index.ts";

/** Certificates for connections, kept up to date with their files. */
interface Tls extends Disposable {
  readonly options: TlsOptions;
  /** Calls back with new options when a file has changed. */
  onChange(listener: (options: TlsOptions) => void): void;
}

interface KeyPair extends Disposable {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** Upstream: staging/src/k8s.io/apiserver/pkg/server/options/serving.go, dynamiccertificates/tlsconfig.go. */
export async function openTls(flags: ApiServerFlags, clock: Clock): Promise<Tls> {
  const files = await certificateFiles(flags, clock.now());
  const listeners: ((options: TlsOptions) => void)[] = [];
  const settings = tlsSettings(flags);
  const changed = () => {
    for (const listener of listeners) listener(optionsNow());
  };
  const pair = openKeyPair(files.certFile, files.keyFile, clock, changed);
  const named = flags["tls-sni-cert-key"].map((text) => openNamed(text, clock, changed));
  const authorities = [flags["client-ca-file"], flags["requestheader-client-ca-file"]]
    .filter((file) => file !== "")
    .map((file) => new FileContent(file, (bytes) => bytes, clock, changed));
  // Sent in the handshake, so that clients know which certificate to use. Authenticators verify it.
  const clientAuthorities = () =>
    authorities.length === 0 ? {} : { ca: authorities.map(({ value }) => value) };
  const optionsNow = (): TlsOptions => ({
    ...settings,
    cert: pair.cert,
    key: pair.key,
    requestCert: true,
    rejectUnauthorized: false,
    ...clientAuthorities(),
    ...(named.length > 0
      ? { SNICallback: (name, done) => done(null, findContext(named, name, clientAuthorities())) }
      : {}),
  });
  return {
    options: optionsNow(),
    onChange: (listener) => void listeners.push(listener),
    [Symbol.dispose]() {
      const pairs = [pair, ...named.map(({ pair: own }) => own)];
      for (const one of [...pairs, ...authorities]) one[Symbol.dispose]();
    },
  };
}

/** The certificate of the flags, or a self-signed one in --cert-dir, made if it does not exist. */
async function certificateFiles(flags: ApiServerFlags, now: number) {
  const [certFile, keyFile] = [flags["tls-cert-file"], flags["tls-private-key-file"]];
  if (certFile !== "" || keyFile !== "") {
    if (certFile === "" || keyFile === "") {
      throw new FlagError("--tls-cert-file and --tls-private-key-file must be given together");
    }
    return { certFile, keyFile };
  }
  const directory = flags["cert-dir"];
  const made = {
    certFile: join(directory, "apiserver.crt"),
    keyFile: join(directory, "apiserver.key"),
  };
  if (existsSync(made.certFile) && existsSync(made.keyFile)) return made;
  const own = flags["advertise-address"] || "127.0.0.1";
  const names = ["kubernetes.default.svc", "kubernetes.default", "kubernetes", "localhost"];
  const { certificate, key } = makeSelfSigned({
    commonName: hostname(),
    names: [...new Set([own, "127.0.0.1", hostname(), ...names])],
    now,
  });
  await mkdir(directory, { recursive: true });
  await writeFile(made.certFile, certificate, { mode: 0o644 });
  await writeFile(made.keyFile, key, { mode: 0o600 });
  return made;
}

/** A certificate and its key; a change is applied once the two match. */
function openKeyPair(
  certFile: string,
  keyFile: string,
  clock: Clock,
  changed: () => void,
): KeyPair {
  const read = (bytes: Buffer) => bytes;
  const certs = new FileContent(certFile, read, clock, () => update());
  const keys = new FileContent(keyFile, read, clock, () => update());
  createSecureContext({ cert: certs.value, key: keys.value });
  let current = { cert: certs.value, key: keys.value };
  const update = () => {
    const next = { cert: certs.value, key: keys.value };
    try {
      createSecureContext(next);
    } catch {
      return; // The other file has not changed yet.
    }
    current = next;
    changed();
  };
  return {
    get cert() {
      return current.cert;
    },
    get key() {
      return current.key;
    },
    [Symbol.dispose]() {
      certs[Symbol.dispose]();
      keys[Symbol.dispose]();
    },
  };
}

interface Named {
  readonly pair: KeyPair;
  readonly names: readonly string[];
}

/** --tls-sni-cert-key: "cert,key" or "cert,key:name,*.name". */
function openNamed(text: string, clock: Clock, changed: () => void): Named {
  const [files = "", list] = text.split(":", 2);
  const [certFile, keyFile, ...more] = files.split(",");
  if (!certFile || !keyFile || more.length > 0) {
    throw new FlagError(`expected comma separated certificate and key file paths, got "${text}"`);
  }
  const pair = openKeyPair(certFile, keyFile, clock, changed);
  return { pair, names: list ? list.split(",") : namesIn(pair.cert) };
}

function namesIn(cert: Buffer): string[] {
  const { subjectAltName = "" } = new X509Certificate(cert);
  return Array.from(subjectAltName.matchAll(/DNS:([^,]+)/g), ([, name = ""]) => name);
}

function findContext(
  named: readonly Named[],
  name: string,
  authorities: { readonly ca?: Buffer[] },
): SecureContext | undefined {
  const wildcard = name.replace(/^[^.]+/, "*");
  const found =
    named.find(({ names }) => names.includes(name)) ??
    named.find(({ names }) => names.includes(wildcard));
  return (
    found && createSecureContext({ ...authorities, cert: found.pair.cert, key: found.pair.key })
  );
}
