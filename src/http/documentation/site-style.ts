import { sharedStyle } from "../look/shared-style.ts";

/** The style sheet of the site: what all pages of the server share, and what only the documentation needs. */
export const pageStyle = `${sharedStyle}
html { scroll-padding-top: 5.5rem; }
body { background: var(--paper); line-height: 1.6; }
:focus-visible { border-radius: 3px; }
main:focus { outline: none; }
code, pre { font-family: var(--mono); font-size: .875em; }
table, figure { margin: 0 0 var(--space-4); }
p code, li code, dd code { overflow-wrap: anywhere; }

.top { flex-wrap: wrap; }

.top { position: sticky; top: 0; z-index: 3; }
.brand-part { color: var(--soft); font-weight: 400; }
.search { position: relative; flex: 1 1 16rem; max-width: 34rem; order: 3; }
.search input { width: 100%; padding: .45rem .8rem; border: 1px solid var(--field); border-radius: var(--radius); background: var(--ground); color: var(--ink); font: inherit; font-size: var(--small); }
.search ul { position: absolute; z-index: 4; left: 0; right: 0; top: calc(100% + .35rem); max-height: 70vh; margin: 0; padding: .35rem; overflow-y: auto; list-style: none; background: var(--paper); border: 1px solid var(--line); border-radius: var(--radius); box-shadow: var(--shadow); }
.search li a { display: block; padding: .4rem .6rem; border-radius: 6px; color: var(--ink); text-decoration: none; font-size: var(--small); }
.search li span { display: block; color: var(--soft); font-size: var(--tiny); overflow-wrap: anywhere; }
.search li[aria-selected=true] a, .search li a:hover { background: var(--accent-wash); }
.search .none { padding: .5rem .6rem; color: var(--soft); font-size: var(--small); }

.menu-switch { position: absolute; opacity: 0; }
.menu { display: block; padding: .7rem 1.25rem; border-bottom: 1px solid var(--line); font-size: var(--small); font-weight: var(--bold); cursor: pointer; }
.menu::before { content: "☰ "; color: var(--soft); }
.menu-switch:focus-visible + .menu { outline: 3px solid var(--accent); outline-offset: -3px; }
.side { display: none; padding: 1rem 1.25rem; border-bottom: 1px solid var(--line); font-size: var(--small); }
.menu-switch:checked ~ .side { display: block; }
.side a { display: block; padding: .25rem .6rem; margin-left: -.6rem; border-radius: 6px; line-height: 1.4; color: var(--soft); text-decoration: none; }
.side a:hover { color: var(--ink); background: var(--ground); }
.side a[aria-current] { color: var(--accent); background: var(--accent-wash); font-weight: var(--bold); }
.side ul { margin: .15rem 0 1.2rem; padding: 0; list-style: none; }
.side .sections { margin: .2rem 0 .5rem .5rem; padding-left: .5rem; border-left: 1px solid var(--line); }
.side .sections a { font-size: var(--tiny); }
.side .sections .read { color: var(--ink); box-shadow: inset 2px 0 var(--accent); border-radius: 0 6px 6px 0; }
.group-title { margin: 0; color: var(--ink); font-weight: var(--bold); }

.neighbours { display: flex; justify-content: space-between; gap: 1rem; margin-top: 4rem; padding-top: 1.25rem; border-top: 1px solid var(--line); }
.neighbours a { text-decoration: none; }
.neighbours span { display: block; color: var(--soft); font-size: var(--tiny); }
.neighbours .after { margin-left: auto; text-align: right; }

.guide { max-width: 50rem; }
.guide h1 { margin-bottom: 1.25rem; }
.guide h2 { margin-top: 2.75rem; }
.guide h3 { margin-top: 1.75rem; }
.guide li { margin-bottom: .35rem; }
.guide img { max-width: 100%; height: auto; border: 1px solid var(--line); border-radius: var(--radius); }
.guide blockquote { margin: 0 0 1rem; padding: .1rem 1rem; border-left: 3px solid var(--accent); color: var(--soft); }
.doc thead { position: static; width: auto; height: auto; clip-path: none; }
.doc thead th { border: 0; color: var(--soft); font-size: var(--tiny); font-weight: var(--bold); white-space: normal; }
.doc td, .doc th { padding-right: 1.25rem; }
.columns { display: grid; grid-template-columns: repeat(auto-fill, minmax(13rem, 1fr)); gap: 1rem 2rem; }
.columns h3 { margin: 0 0 .4rem; font-size: 1rem; }
.columns ul { padding: 0; list-style: none; font-size: .9375rem; }
.columns li { margin-bottom: .2rem; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(14rem, 1fr)); gap: 1rem; margin: 1.75rem 0 0; padding: 0; list-style: none; }
.cards a { display: block; height: 100%; padding: 1rem 1.2rem; border: 1px solid var(--line); border-radius: var(--radius-large); text-decoration: none; }
.cards a:hover { border-color: var(--accent); }
.cards span { display: block; color: var(--soft); font-size: .9375rem; }
.operations { padding: 0; list-style: none; font-size: .9375rem; }
.operations li { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 1rem; padding: .3rem 0; border-top: 1px solid var(--line); }
.operations code { color: var(--soft); font-size: var(--tiny); overflow-wrap: anywhere; }
.operations li:target { background: var(--accent-wash); }
.tabs { display: flex; gap: .25rem; margin-bottom: -1px; }
.tabs button { padding: .3rem .8rem; border: 1px solid transparent; border-radius: var(--radius) var(--radius) 0 0; background: none; color: var(--soft); font: inherit; font-size: var(--tiny); cursor: pointer; }
.tabs button[aria-pressed=true] { border-color: var(--line); border-bottom-color: var(--ground); background: var(--ground); color: var(--ink); font-weight: var(--bold); }
.tabbed figcaption { display: none; }
.tabbed .block { overflow: visible; border-top-left-radius: 0; }
.tabbed .copy { top: -1.75rem; right: 0; }
.block { position: relative; }
.copy { position: absolute; right: .35rem; top: .25rem; padding: .1rem .5rem; border: 1px solid var(--line); border-radius: 5px; background: var(--paper); color: var(--soft); font: inherit; font-size: var(--tiny); cursor: pointer; }
.copy:hover { color: var(--ink); }
.blank { color: var(--warn); }
.blank.own { color: var(--good); border-bottom: 1px dotted; }

main { padding: 2rem 1.25rem 6rem; }
h1 { margin: 0 0 .75rem; font-size: clamp(2rem, 1.5rem + 2vw, 2.75rem); letter-spacing: -.03em; }
h2 { margin: 0 0 .75rem; font-size: 1.75rem; }
h3 { margin: 0 0 .6rem; font-size: 1.25rem; }
h4 { margin: 1.25rem 0 .5rem; font-size: 1rem; }
h3.small { margin: 1.5rem 0 .5rem; font-size: var(--tiny); letter-spacing: .02em; color: var(--soft); }
h2 a, h3 a { color: inherit; text-decoration: none; }
h2 a:hover, h3 a:hover { text-decoration: underline; }
h2 a::after, h3 a::after { content: " #"; color: var(--accent); opacity: 0; }
h2 a:hover::after, h3 a:hover::after, h2 a:focus-visible::after, h3 a:focus-visible::after { opacity: 1; }
.lead { max-width: 38rem; font-size: 1.1875rem; line-height: 1.55; color: var(--soft); }
.opening { max-width: 42rem; color: var(--soft); }
.words > p, .words > ul, section > p { max-width: 42rem; }
.words ul { padding-left: 1.2rem; }
.words li { margin-bottom: .35rem; }

.hero { margin-bottom: 3.5rem; }
.card { display: grid; gap: 1rem 2.5rem; margin: 1.75rem 0 0; padding: 1.1rem 1.35rem; background: var(--ground); border: 1px solid var(--line); border-radius: var(--radius-large); }
.card dt, .facts dt { font-size: var(--tiny); color: var(--soft); }
.card dd { margin: .1rem 0 0; }
.card code { overflow-wrap: anywhere; }
.pick { user-select: all; }
.region { display: inline-block; padding: 0 .6rem; border-radius: var(--radius-round); background: var(--accent-wash); color: var(--accent); font: 600 .875rem/1.7 var(--mono); }

main > section { margin-bottom: 3.5rem; }
.part { margin-top: 2.5rem; }
.operation { margin-top: 3rem; }
.operation + .operation { padding-top: 3rem; border-top: 1px dashed var(--line); }
.endpoint { display: flex; align-items: baseline; gap: .6rem; margin-bottom: 1.1rem; }
.endpoint code { font-size: .9375rem; overflow-wrap: anywhere; }
.method { flex: none; padding: .05rem .5rem; border-radius: 5px; background: var(--good-wash); color: var(--good); font: var(--bold) .75rem/1.6 var(--mono); letter-spacing: .03em; }
.pair { display: grid; grid-template-columns: minmax(0, 1fr); gap: 1rem 2.5rem; }
.facts { display: grid; gap: .5rem; }
.facts div { display: grid; grid-template-columns: 6rem minmax(0, 1fr); gap: .75rem; align-items: baseline; }
.facts dd { margin: 0; }
.nothing strong { font-size: var(--tiny); color: var(--soft); margin-right: .5rem; }

.block { overflow: hidden; border: 1px solid var(--line); border-radius: var(--radius); background: var(--ground); }
.block figcaption { padding: .35rem .9rem; border-bottom: 1px solid var(--line); font-size: var(--tiny); color: var(--soft); }
.block pre { margin: 0; padding: .8rem .9rem; min-height: 2.6rem; line-height: 1.55; white-space: pre-wrap; overflow-wrap: anywhere; tab-size: 2; }
.block pre code { font-size: .78125rem; }
.name { color: var(--accent); } .string { color: var(--warn); } .literal { color: var(--literal); }

table { width: 100%; border-collapse: collapse; font-size: .9375rem; line-height: 1.5; }
caption { padding: .75rem 0 .4rem; text-align: left; font-size: var(--tiny); font-weight: var(--bold); letter-spacing: .02em; color: var(--soft); }
th, td { padding: .5rem 1rem .5rem 0; text-align: left; vertical-align: baseline; font-weight: 400; border-top: 1px solid var(--line); }
th:last-child, td:last-child { padding-right: 0; }
thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
tbody th code { font-size: var(--small); font-weight: 600; overflow-wrap: anywhere; }
.fields tbody tr { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 .75rem; padding: .55rem 0; border-top: 1px solid var(--line); }
.fields, .fields tbody, .fields caption { display: block; }
.fields tbody th, .fields tbody td { padding: 0; border: 0; }
.fields tbody td:last-child { flex-basis: 100%; }
.fields tr:has(.inside) { padding-left: 1rem; box-shadow: inset 2px 0 var(--line); }
.inside { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.required { color: var(--warn); font-size: var(--tiny); } .optional { color: var(--soft); font-size: var(--tiny); }
.fields td:nth-child(2) { color: var(--soft); font-size: var(--small); }
.fields td:nth-child(2) code { font-size: var(--tiny); }

.status { display: inline-block; padding: 0 .4rem; border-radius: 5px; font: var(--bold) .75rem/1.6 var(--mono); background: var(--warn-wash); color: var(--warn); }
.status.s5 { background: var(--bad-wash); color: var(--bad); }
.problem { display: inline-flex; align-items: baseline; gap: .4rem; text-decoration: none; }
.problem code { text-decoration: underline; text-decoration-thickness: .06em; text-underline-offset: .18em; overflow-wrap: anywhere; }
.problems ul { padding: 0; list-style: none; }
.own li { display: grid; grid-template-columns: minmax(0, 1fr); margin-bottom: .6rem; font-size: .9375rem; }
details summary { width: fit-content; color: var(--soft); font-size: var(--small); cursor: pointer; }
details summary:hover { color: var(--ink); }
.shared { display: flex; flex-wrap: wrap; gap: .25rem 1.1rem; margin: .6rem 0 0; font-size: var(--small); }

.entry { margin-top: 1.75rem; padding-bottom: .5rem; }
.entry h3 a { display: inline-flex; flex-wrap: wrap; align-items: center; gap: .6rem; }
.entry h3 code { font-size: 1.0625rem; overflow-wrap: anywhere; }
.entry:target { margin-left: -1rem; padding-left: 1rem; box-shadow: inset 3px 0 var(--accent); }
:target > h2, :target > h3 { text-decoration: underline; text-decoration-color: var(--accent); text-decoration-thickness: .12em; text-underline-offset: .3em; }

@media (max-width: 43.99rem) {
  .doc { display: block; overflow-x: auto; }
  .doc td { min-width: 8rem; }
  .plain tbody tr { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 .75rem; padding: .55rem 0; border-top: 1px solid var(--line); }
  .plain, .plain tbody, .plain caption { display: block; }
  .plain tbody th, .plain tbody td { width: auto; padding: 0; border: 0; }
  .plain tbody td:last-child { flex-basis: 100%; }
  .facts div { grid-template-columns: minmax(0, 1fr); gap: 0; }
}
@media (min-width: 44rem) {
  .card { grid-template-columns: repeat(3, auto); justify-content: start; }
  .plain th { width: 34%; }
  .plain td:nth-child(2):not(:last-child) { white-space: nowrap; }
}
@media (min-width: 64rem) {
  .frame { display: grid; grid-template-columns: 17.5rem minmax(0, 1fr); max-width: 98rem; margin: 0 auto; }
  .top { padding-inline: max(2rem, calc((100vw - 98rem) / 2 + 2rem)); flex-wrap: nowrap; }
  .search { order: 0; }
  .menu, .menu-switch { display: none; }
  .side, .menu-switch:checked ~ .side { position: sticky; top: var(--header); display: block; max-height: calc(100vh - var(--header)); overflow-y: auto; padding: 1.75rem 1rem 3rem 2rem; border: 0; border-right: 1px solid var(--line); scrollbar-width: thin; }
  main { padding: 2.5rem 2.5rem 6rem; }
}
@media (min-width: 78rem) {
  main { padding-inline: 3.25rem; }
  .pair { grid-template-columns: minmax(0, 1fr) minmax(0, 28rem); gap: 0 2.75rem; }
  .pair > .words:only-child { grid-column: 1 / -1; }
  .blocks { position: sticky; top: calc(var(--header) + 1.25rem); align-self: start; max-height: calc(100vh - var(--header) - 2rem); overflow-y: auto; scrollbar-width: thin; }
}

@media print {
  :root { color-scheme: light; --paper: white; --ground: white; --ink: black; --accent: black; --warn: black; --literal: black; }
  .side, .skip, .pages, .search, .menu, .neighbours, .copy, .tabs { display: none; }
  html { font-size: 10pt; }
  .hero { padding-top: 1rem; }
  main { padding: 0; }
  .frame, .pair { display: block; }
  h2, h3, h4, caption { break-after: avoid; }
  .block, tr, .entry { break-inside: avoid; }
  details::details-content { content-visibility: visible; block-size: auto; }
}
`;
