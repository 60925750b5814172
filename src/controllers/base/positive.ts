/** A number of a status that is left out when it is zero, as the server leaves it out. */
export const positive = (name: string, value: number): object =>
  value === 0 ? {} : { [name]: value };
