import { type LongTurn, TurnWatch, type Work } from "./measure-turns.ts";

export type { LongTurn, Work } from "./measure-turns.ts";

type Listener = (turn: LongTurn) => void;

/** A process has one event loop, and so one watch. */
const listeners = new Set<Listener>();
const watch = new TurnWatch(
  (turn) => {
    for (const listener of listeners) listener(turn);
  },
  () => performance.now(),
  setImmediate,
);

/** Call it where work is entered: at the start of a request or of a reconcile, and after waits. */
export function enterWork(work: Work, phase?: string): void {
  watch.enter(work, phase);
}

/** The work that was entered last in this turn; undefined if none was. */
export function currentWork(): Work | undefined {
  return watch.work;
}

/** Calls the listener for each long turn, until it is disposed of. */
export function onLongTurn(listener: Listener): Disposable {
  listeners.add(listener);
  return { [Symbol.dispose]: () => void listeners.delete(listener) };
}
