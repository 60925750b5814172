import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** The PEM files of a certificate and its key. */
export interface CertificateFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

/**
 * A certificate authority for tests, made with the openssl program. Files of the same name are
 * overwritten.
 */
export class TestAuthority {
  readonly caFile: string;
  readonly #keyFile: string;
  readonly #directory: string;

  static async create(directory: string): Promise<TestAuthority> {
    const authority = new TestAuthority(directory);
    await newKey(authority.#keyFile);
    const subject = ["-subj", "/CN=test authority", "-days", "2"];
    const files = ["-key", authority.#keyFile, "-out", authority.caFile];
    await run("openssl", ["req", "-x509", "-new", ...subject, ...files]);
    return authority;
  }

  private constructor(directory: string) {
    this.#directory = directory;
    this.caFile = join(directory, "ca.crt");
    this.#keyFile = join(directory, "ca.key");
  }

  /**
   * Issues a certificate for both ends of TLS; the common name also names its files. For this
   * machine unless names are given.
   */
  async issue(
    commonName: string,
    names: readonly string[] = ["IP:127.0.0.1", "DNS:localhost"],
  ): Promise<CertificateFiles> {
    const path = (extension: string): string => join(this.#directory, commonName + extension);
    const [certFile, keyFile, requestFile] = [path(".crt"), path(".key"), path(".csr")];
    await newKey(keyFile);
    await run("openssl", [
      "req",
      "-new",
      "-key",
      keyFile,
      "-subj",
      `/CN=${commonName}`,
      "-out",
      requestFile,
    ]);
    const extensions = [
      `subjectAltName=${names.join(",")}`,
      "extendedKeyUsage=serverAuth,clientAuth",
    ];
    await writeFile(path(".ext"), extensions.join("\n"));
    // A random serial: openssl's serial file can't be used by two processes.
    const serial = `0x01${randomBytes(15).toString("hex")}`;
    const signer = ["-CA", this.caFile, "-CAkey", this.#keyFile, "-set_serial", serial];
    const files = ["-in", requestFile, "-extfile", path(".ext"), "-out", certFile];
    await run("openssl", ["x509", "-req", "-days", "2", ...signer, ...files]);
    return { certFile, keyFile };
  }
}

function newKey(file: string): Promise<unknown> {
  const curve = ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"];
  return run("openssl", ["genpkey", ...curve, "-out", file]);
}
