/** The kinds of pressure of a node. */
export interface Pressure {
  readonly memory: boolean;
  readonly disk: boolean;
  readonly pid: boolean;
}

export const noPressure: Pressure = { memory: false, disk: false, pid: false };
