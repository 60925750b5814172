import type { Journey, StepObject } from "#/machinery/journey/step.ts";
import { backgroundTurn } from "#/std/async/slices.ts";
import type { Clock, Timer } from "#/std/time/clock.ts";
import { findJourney, type Place, placesOf } from "./find-journey.ts";
import type { Journal } from "./journal.ts";
import { readSegments } from "./record-reader.ts";
import type { RecordSegment } from "./record-segment.ts";
import type { SegmentLog } from "./segment-log.ts";

interface FilesOptions {
  readonly journal: Journal;
  readonly log: SegmentLog;
  readonly clock: Clock;
  /** Limit of what is read of earlier files (bytes). */
  readonly earlierBytes: number;
}

/** How often records are written to the disk (ms): what a kill loses at most. */
const saveMs = 250;
/** Limit of the records of a name that are read back (count). */
const maxFound = 2000;

/** The files of a journal: written in the background, and read when a client asks for what is in no memory. */
export class JournalFiles implements AsyncDisposable {
  readonly #options: FilesOptions;
  readonly #listening: Disposable;
  #timer: Timer | undefined;
  #loading: Promise<void> | undefined;
  /** Only one search at a time: each reads all files. */
  #searching: Promise<unknown> = Promise.resolve();

  constructor(options: FilesOptions) {
    this.#options = options;
    this.#listening = options.journal.onUnsaved((isFull) => {
      if (isFull) this.#save();
      else this.#saveLater();
    });
  }

  /** Reads the newest records of earlier processes. */
  load(): Promise<void> {
    this.#loading ??= this.#load();
    return this.#loading;
  }

  /** Searches all files. */
  find(of: StepObject): Promise<Journey | undefined> {
    const search = this.#searching.then(() => this.#find(of));
    this.#searching = search.catch(() => undefined);
    return search;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listening[Symbol.dispose]();
    this.#timer?.cancel();
    this.#save();
    await this.#options.log[Symbol.asyncDispose]();
  }

  #saveLater(): void {
    this.#timer ??= this.#options.clock.setTimer(saveMs, () => this.#save(), { keepAlive: false });
  }

  #save(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    const { journal, log } = this.#options;
    for (const { bytes, isStart } of journal.takeUnsaved()) log.append([bytes], isStart);
    void log.flush();
  }

  async #load(): Promise<void> {
    const { journal, log, earlierBytes } = this.#options;
    const older: RecordSegment[] = [];
    for await (const file of log.earlier(earlierBytes)) {
      for (const segment of readSegments(file)) {
        await backgroundTurn();
        older.push(segment);
      }
    }
    journal.addOlder(older);
  }

  async #find(of: StepObject): Promise<Journey | undefined> {
    this.#save();
    const places: Place[] = [];
    for await (const file of this.#options.log.all()) {
      for (const segment of readSegments(file)) {
        await backgroundTurn();
        for (const place of placesOf(segment, of)) {
          const content = place.read();
          places.push({ uid: place.uid, read: () => content });
        }
        // The first ones say how the object was made, the newest ones what became of it.
        if (places.length > maxFound) places.splice(maxFound / 2, places.length - maxFound);
      }
    }
    return findJourney(places, of, () => []);
  }
}
