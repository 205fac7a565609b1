import { accessProblems } from "./problems/access.ts";
import { callProblems } from "./problems/calls.ts";
import { eventProblems } from "./problems/events.ts";
import { signInProblems } from "./problems/sign-in.ts";
import { singleSignOnProblems, ssoPageProblems } from "./problems/single-sign-on.ts";
import { stepProblems } from "./problems/steps.ts";

/**
 * Every way to refuse a call. A code is a promise to callers: it never changes its meaning. `means` is the general
 * sentence, from which docs/errors.md is written; a thrown Problem carries the specific one.
 */
export const problems = {
  ...callProblems,
  ...accessProblems,
  ...signInProblems,
  ...singleSignOnProblems,
  ...ssoPageProblems,
  ...stepProblems,
  ...eventProblems,
} as const;

export type ProblemCode = keyof typeof problems;

/** One member of `errors`: a JSON Pointer to the value, a code, and a sentence. */
export interface FieldError {
  pointer: string;
  code: string;
  detail: string;
}

export interface ProblemExtras {
  /** Members added to the problem body, such as `invite_code`. */
  more?: Record<string, unknown>;
  errors?: FieldError[];
  /** How many more there are that `errors` leaves out. */
  errorsOmitted?: number;
  headers?: Record<string, string>;
  cause?: unknown;
}

/** The maximum length of a sentence, so that every response, log entry and record can hold it. */
const detailLengthMax = 2000;

export const shorten = (text: string, lengthMax = detailLengthMax): string =>
  text.length <= lengthMax ? text : `${text.slice(0, lengthMax)}…`;

/** The most errors in one problem, each shortened: a caller with a million mistakes needs no complete list. */
export const fieldErrorsMax = 100;
const fieldErrorLengthMax = 500;

export const shortErrors = (errors: readonly FieldError[]): FieldError[] =>
  errors.slice(0, fieldErrorsMax).map(({ pointer, code, detail }) => ({
    pointer: shorten(pointer, fieldErrorLengthMax),
    code: shorten(code, fieldErrorLengthMax),
    detail: shorten(detail, fieldErrorLengthMax),
  }));

export class Problem extends Error {
  readonly code: ProblemCode;
  readonly extras: ProblemExtras;

  constructor(code: ProblemCode, detail: string = problems[code].means, extras: ProblemExtras = {}) {
    super(shorten(detail), extras.cause === undefined ? undefined : { cause: extras.cause });
    this.name = "Problem";
    this.code = code;
    this.extras = extras;
  }

  get status(): number {
    return problems[this.code].status;
  }
}
