/** Upstream: pkg/kubelet/images/pullmanager. */
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { formatTime } from "#/machinery/time/time.ts";
import { logger } from "#/std/log/log.ts";
import type { Clock } from "#/std/time/clock.ts";
import { parseImageName } from "./image-name.ts";
import type { PullCredential } from "./keyring.ts";

const log = logger("kubelet");
const apiVersion = "kubelet.config.k8s.io/v1beta1";

/** The policy for which present images pods need credentials. */
export type VerificationPolicy =
  | "NeverVerify"
  | "NeverVerifyPreloadedImages"
  | "NeverVerifyAllowlistedImages"
  | "AlwaysVerify";

interface PullSecret {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  readonly credentialHash: string;
}

interface Access {
  readonly nodePodsAccessible?: boolean;
  readonly kubernetesSecrets?: readonly PullSecret[];
}

interface PulledRecord {
  readonly lastUpdatedTime: string;
  readonly imageRef: string;
  /** By the image's name without tag and digest. */
  readonly credentialMapping?: Readonly<Record<string, Access>>;
}

/** Limit of the secrets that are recorded for one image. */
const maxSecrets = 100;

interface PullRecordsOptions {
  /** `--root-dir`; the records are in its `image_manager`. */
  readonly root: string;
  readonly policy: VerificationPolicy;
  /** Images that need no credentials under NeverVerifyAllowlistedImages; `registry/path/*` for all below. */
  readonly allowlist: readonly string[];
  readonly clock: Clock;
}

/**
 * Records the credentials with which images were pulled, so that a pod can't use an image that another pod had the
 * credentials for.
 */
export class PullRecords {
  readonly #options: PullRecordsOptions;

  constructor(options: PullRecordsOptions) {
    this.#options = options;
  }

  /** Whether a pod has to pull a present image, to prove that it has access to it. */
  async mustPull(
    image: string,
    imageRef: string,
    credentials: readonly PullCredential[],
  ): Promise<boolean> {
    const { policy } = this.#options;
    if (policy === "NeverVerify") return false;
    const record = await this.#read<PulledRecord>("pulled", imageRef);
    const pulledHere = record !== undefined || (await this.#read("pulling", image)) !== undefined;
    if (policy === "NeverVerifyPreloadedImages" && !pulledHere) return false;
    if (policy === "NeverVerifyAllowlistedImages" && this.#isAllowed(image)) return false;
    const access = record?.credentialMapping?.[parseImageName(image).repository];
    if (access?.nodePodsAccessible) return false;
    const known = access?.kubernetesSecrets ?? [];
    const match = credentials.find(({ hash, source }) =>
      known.some((one) => (hash !== "" && one.credentialHash === hash) || isSame(one, source)),
    );
    if (!match) return true;
    await this.pulled(image, imageRef, match);
    return false;
  }

  /** Records the start of a pull; if the kubelet ends meanwhile, the image still counts as pulled by it. */
  async pulling(image: string): Promise<void> {
    await this.#write("pulling", image, { kind: "ImagePullIntent", image });
  }

  /** Records that a pull has failed. */
  async failed(image: string): Promise<void> {
    await rm(this.#path("pulling", image), { force: true });
  }

  /** Records that an image was pulled, or is accessible, with a credential; without one, all pods may use it. */
  async pulled(
    image: string,
    imageRef: string,
    credential: PullCredential | undefined,
  ): Promise<void> {
    const { repository } = parseImageName(image);
    const record = await this.#read<PulledRecord>("pulled", imageRef);
    const before = record?.credentialMapping?.[repository];
    const after = mergeAccess(before, credential);
    if (after !== before || !record) {
      await this.#write("pulled", imageRef, {
        kind: "ImagePulledRecord",
        lastUpdatedTime: formatTime(this.#options.clock.now()),
        imageRef,
        credentialMapping: { ...record?.credentialMapping, [repository]: after },
      });
    }
    await this.failed(image);
  }

  /** Drops records of images that no longer exist. */
  async prune(imageRefs: ReadonlySet<string>): Promise<void> {
    const directory = join(this.#options.root, "image_manager", "pulled");
    const kept = new Set([...imageRefs].map((ref) => basename(this.#path("pulled", ref))));
    for (const name of await readdir(directory).catch(() => [])) {
      if (!kept.has(name) && !name.endsWith(".tmp")) await rm(join(directory, name));
    }
  }

  #isAllowed(image: string): boolean {
    const { repository } = parseImageName(image);
    return this.#options.allowlist.some((pattern) =>
      pattern.endsWith("/*") ? repository.startsWith(pattern.slice(0, -1)) : repository === pattern,
    );
  }

  #path(kind: "pulled" | "pulling", key: string): string {
    const name = `sha256-${createHash("sha256").update(key).digest("hex")}`;
    return join(this.#options.root, "image_manager", kind, name);
  }

  async #read<T>(kind: "pulled" | "pulling", key: string): Promise<T | undefined> {
    try {
      return JSON.parse(await readFile(this.#path(kind, key), "utf8")) as T;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") {
        log.error(error, "failed to read image pull record");
      }
      return undefined;
    }
  }

  async #write(kind: "pulled" | "pulling", key: string, record: object): Promise<void> {
    const path = this.#path(kind, key);
    await mkdir(join(this.#options.root, "image_manager", kind), { recursive: true, mode: 0o700 });
    await writeFile(`${path}.tmp`, JSON.stringify({ apiVersion, ...record }), { mode: 0o600 });
    await rename(`${path}.tmp`, path);
  }
}

function isSame(one: PullSecret, source: PullCredential["source"]): boolean {
  return one.uid === source.uid && one.namespace === source.namespace && one.name === source.name;
}

/** Returns the same object if there is nothing new. */
function mergeAccess(before: Access | undefined, credential: PullCredential | undefined): Access {
  if (!credential) return before?.nodePodsAccessible ? before : { nodePodsAccessible: true };
  if (before?.nodePodsAccessible) return before;
  const { source, hash } = credential;
  const known = before?.kubernetesSecrets ?? [];
  const same = known.some((one) => isSame(one, source) && one.credentialHash === hash);
  if (before && (same || known.length >= maxSecrets)) return before;
  const others = known.filter((one) => !isSame(one, source));
  return { kubernetesSecrets: [...others, { ...source, credentialHash: hash }] };
}
