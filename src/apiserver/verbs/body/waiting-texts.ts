/** Limit of all waiting texts (bytes): they are in memory. */
const maxWaitingBytes = 64 * 1024 * 1024;
/** Limit of one owner's waiting texts (bytes): others must find room. */
const maxOwnerBytes = 16 * 1024 * 1024;

interface Text {
  readonly bytes: Uint8Array;
}

/** The texts that wait for a thread. An owner has at most one in work, and owners take turns. */
export class WaitingTexts<Job extends Text> {
  /** By owner; the next owner is the first. Invariant: no list is empty. */
  readonly #waiting = new Map<string, Job[]>();
  readonly #working = new Set<string>();
  #bytes = 0;

  /** Adds a text; false if there is no room for it. */
  add(owner: string, job: Job): boolean {
    const own = this.#waiting.get(owner) ?? [];
    const { length } = job.bytes;
    if (this.#bytes + length > maxWaitingBytes || bytesOf(own) + length > maxOwnerBytes) {
      return false;
    }
    own.push(job);
    this.#waiting.set(owner, own);
    this.#bytes += length;
    return true;
  }

  /** Removes a waiting text; false if it does not wait. */
  remove(owner: string, job: Job): boolean {
    const own = this.#waiting.get(owner);
    const index = own?.indexOf(job) ?? -1;
    if (!own || index < 0) return false;
    own.splice(index, 1);
    this.#bytes -= job.bytes.length;
    if (own.length === 0) this.#waiting.delete(owner);
    return true;
  }

  /** Whether take() has a text. */
  get hasReady(): boolean {
    return this.#nextOwner() !== undefined;
  }

  /** The next text of the next owner; call finish() when it is done. */
  take(): { readonly job: Job; readonly finish: () => void } | undefined {
    const owner = this.#nextOwner();
    const own = owner === undefined ? undefined : this.#waiting.get(owner);
    const job = own?.shift();
    if (owner === undefined || !own || !job) return undefined;
    this.#waiting.delete(owner);
    if (own.length > 0) this.#waiting.set(owner, own);
    this.#bytes -= job.bytes.length;
    this.#working.add(owner);
    return { job, finish: () => void this.#working.delete(owner) };
  }

  #nextOwner(): string | undefined {
    for (const owner of this.#waiting.keys()) if (!this.#working.has(owner)) return owner;
    return undefined;
  }
}

const bytesOf = (texts: readonly Text[]): number =>
  texts.reduce((sum, { bytes }) => sum + bytes.length, 0);
