/** Upstream: staging/src/k8s.io/apiserver/pkg/server/options/serving.go. */
import { hostname } from "node:os";
import { FileContent } from "#/std/files/file-content.ts";
import { FlagError } from "#/std/flags/flags.ts";
import { type Clock, systemClock } from "#/std/time/clock.ts";
import { makeSelfSigned } from "#/std/x509/self-signed.ts";

/** The certificate and key of a server. */
export interface ServingCertificate extends Disposable {
  readonly current: { readonly cert: string | Buffer; readonly key: string | Buffer };
  /** The listener is called when a file has changed. */
  onChange(listener: () => void): void;
}

/** The certificate of the given files, read again when they change, or a self-signed one. */
export function openServingCertificate(
  files: { readonly certFile: string; readonly keyFile: string },
  clock: Clock = systemClock,
): ServingCertificate {
  const { certFile, keyFile } = files;
  if (certFile === "" && keyFile === "") return selfSigned(clock);
  if (certFile === "" || keyFile === "") {
    throw new FlagError("--tls-cert-file and --tls-private-key-file must be given together");
  }
  const listeners: (() => void)[] = [];
  const changed = () => {
    for (const listener of listeners) listener();
  };
  const [cert, key] = [certFile, keyFile].map(
    (path) => new FileContent(path, (bytes) => bytes, clock, changed),
  ) as [FileContent<Buffer>, FileContent<Buffer>];
  return {
    get current() {
      return { cert: cert.value, key: key.value };
    },
    onChange: (listener) => void listeners.push(listener),
    [Symbol.dispose]() {
      cert[Symbol.dispose]();
      key[Symbol.dispose]();
    },
  };
}

function selfSigned(clock: Clock): ServingCertificate {
  const names = [...new Set([hostname(), "localhost", "127.0.0.1", "::1"])];
  const { certificate, key } = makeSelfSigned({ commonName: hostname(), names, now: clock.now() });
  return {
    current: { cert: certificate, key },
    onChange: () => undefined,
    [Symbol.dispose]: () => undefined,
  };
}
