import { existsSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import {
  type Authority,
  crossSign,
  makeAuthority,
  readCertificates,
  readIssuer,
  signsWith,
  writePrivate,
} from "../access/pki.ts";
import { ensureFolder, writeIfChanged } from "../base/write-file.ts";

/** Files of an authority that is about to replace another: below the folder of certificates until it signs. */
const nextFolder = (pki: string): string => join(pki, "next");

/** Makes the authority that is to come, unless it is there, with a certificate for those who trust only the present one. */
export async function makeNext(pki: string, authority: Authority, now: number): Promise<void> {
  const folder = nextFolder(pki);
  await ensureFolder(folder);
  const certificate = join(folder, `${authority}.crt`);
  if (!existsSync(certificate)) await makeAuthority(folder, authority, now, "renewed");
  const next = await readIssuer(folder, authority);
  const present = await readIssuer(pki, authority);
  // The present one is the next one already: the step runs again.
  if (signsWith(present.certificate, next.key)) return;
  await writeIfChanged(join(folder, `${authority}-cross.crt`), await crossSign(next, present, now));
}

/** Both are trusted; the present one, which is first, signs. */
export async function trustNext(pki: string, authority: Authority): Promise<void> {
  const [next = ""] = await readCertificates(join(nextFolder(pki), `${authority}.crt`));
  const present = await readCertificates(join(pki, `${authority}.crt`));
  if (present.includes(next)) return;
  await writeIfChanged(join(pki, `${authority}.crt`), [...present, next].join(""));
}

/** The next one signs; both are trusted. A reader that finds a certificate and a key that don't match reads again. */
export async function signWithNext(pki: string, authority: Authority): Promise<void> {
  const folder = nextFolder(pki);
  const [next = ""] = await readCertificates(join(folder, `${authority}.crt`));
  const all = await readCertificates(join(pki, `${authority}.crt`));
  const cross = join(folder, `${authority}-cross.crt`);
  await writeIfChanged(join(pki, `${authority}-cross.crt`), await readFile(cross, "utf8"));
  const others = all.filter((one) => one !== next);
  await writeIfChanged(join(pki, `${authority}.crt`), [next, ...others].join(""));
  await writePrivate(
    join(pki, `${authority}.key`),
    await readFile(join(folder, `${authority}.key`), "utf8"),
  );
}

/** Only the one that signs is trusted. */
export async function forgetOthers(pki: string, authority: Authority): Promise<void> {
  const { certificate, key } = await readIssuer(pki, authority);
  if (!signsWith(certificate, key)) throw new Error(`${authority}.crt does not have its key`);
  await writeIfChanged(join(pki, `${authority}.crt`), certificate);
  for (const end of [".crt", ".key", "-cross.crt"]) {
    await rm(join(nextFolder(pki), `${authority}${end}`), { force: true });
  }
}
