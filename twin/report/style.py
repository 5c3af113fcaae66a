"""The look of reports: light or dark as the reader's system asks, and light on paper."""

from __future__ import annotations

PAPER = {
    "ink": "#000000",
    "quiet": "#444444",
    "faint": "#bbbbbb",
    "hair": "#dddddd",
    "c1": "#2f7fe0",
    "c2": "#d9822b",
    "c3": "#159a63",
    "c4": "#8a5fd8",
    "bad": "#c81e45",
    "warn": "#9a6200",
    "good": "#12794c",
}
"""Colours on paper, by the name of their variable."""
_PAPER = ";".join(f"--{name}:{colour}" for name, colour in PAPER.items())

STYLE = (
    """
:root{color-scheme:light dark;--page:#f4f6f9;--card:#fff;--ink:#121924;--quiet:#566074;--faint:#d9dfe8;--hair:#e7ebf1;
--accent:#1f6fd6;--c1:#2f7fe0;--c2:#d9822b;--c3:#159a63;--c4:#8a5fd8;--bad:#c81e45;--warn:#9a6200;--good:#12794c;
--badge:#fff3d6;--badgeink:#7a4b00}
@media (prefers-color-scheme:dark){:root{--page:#0b111b;--card:#121a27;--ink:#e9eef6;--quiet:#9aa7ba;--faint:#2b3648;
--hair:#1f2939;--accent:#6cb2ff;--c1:#4ea8ff;--c2:#ffa45b;--c3:#3ddc97;--c4:#b08cff;--bad:#ff6b86;--warn:#ffc857;
--good:#3ddc97;--badge:#3a2c0a;--badgeink:#ffd98a}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--page);color:var(--ink);font:15px/1.5 Inter,"Segoe UI","Noto Sans","DejaVu Sans",
system-ui,sans-serif;font-variant-numeric:tabular-nums}
main,header,footer{max-width:1120px;margin:0 auto;padding:0 28px}
header{padding-top:36px;padding-bottom:8px}
h1{font-size:30px;line-height:1.2;margin:6px 0 6px;letter-spacing:-.01em;overflow-wrap:anywhere}
h2{font-size:19px;margin:0 0 12px}
h3{font-size:15px;margin:20px 0 6px}
p{margin:6px 0 10px;max-width:78ch}
.badge{display:inline-block;font-size:12px;font-weight:700;letter-spacing:.14em;padding:3px 10px;border-radius:6px;
background:var(--badge);color:var(--badgeink)}
.lead,.note,figcaption{color:var(--quiet)}
.note{font-size:13.5px}
nav{margin:14px 0 4px}
nav ul{list-style:none;display:flex;flex-wrap:wrap;gap:4px 18px;padding:0;margin:0;font-size:14px}
a{color:var(--accent);text-underline-offset:3px}
a:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
section{background:var(--card);border:1px solid var(--hair);border-radius:12px;padding:22px 24px;margin:18px 0}
.cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(186px,1fr));gap:10px;margin:0 0 18px;padding:0}
.cards div{border:1px solid var(--faint);border-radius:10px;padding:10px 14px}
.cards dt{font-size:12.5px;color:var(--quiet);margin:0}
.cards dd{font-size:19px;font-weight:650;margin:2px 0 0}.cards .reader{font-size:13px;margin:0}.small{max-width:640px}
.scroll{overflow-x:auto;margin:0 0 6px}
table{border-collapse:collapse;width:100%;font-size:13.5px;line-height:1.42}
caption{text-align:left;padding:10px 0 4px;font-size:14px;font-weight:650;color:var(--ink)}
th,td{text-align:left;vertical-align:top;padding:5px 14px 5px 0;border-bottom:1px solid var(--hair);
overflow-wrap:anywhere}
thead th{font-weight:600;color:var(--quiet);border-bottom:1px solid var(--faint);white-space:nowrap}
tbody th{font-weight:500}
.num{text-align:right;white-space:nowrap}
th:last-child,td:last-child{padding-right:0}
.facts th{white-space:nowrap;width:1%;padding-right:26px;color:var(--quiet)}
.sources{table-layout:fixed}.sources th:nth-child(1){width:24%}.sources th:nth-child(2){width:16%}
.sources th:nth-child(3){width:12%}.unknown{color:var(--quiet);font-style:italic}
.mono{font-family:ui-monospace,"DejaVu Sans Mono",monospace;font-size:12.5px}
.bad,.warn,.good{white-space:nowrap}.bad{color:var(--bad);font-weight:600}.warn{color:var(--warn);font-weight:600}.good{color:var(--good);font-weight:600}
figure{margin:0 0 20px}
figcaption{font-size:13px;margin:4px 0 0}
figure img{display:block;width:100%;height:auto;border-radius:8px}
svg{display:block;width:100%;height:auto;font:12px Inter,"Segoe UI","Noto Sans","DejaVu Sans",system-ui,sans-serif}
svg text{fill:var(--quiet)}svg .strong{fill:var(--ink)}svg .title{fill:var(--ink);font-weight:600}
svg .grid{stroke:var(--hair)}svg .axis{stroke:var(--faint)}svg .mark{stroke:var(--bad);stroke-opacity:.45}
svg .limit{stroke:var(--bad);stroke-width:1.2;stroke-dasharray:7 4}
svg .whisker{stroke:var(--ink);stroke-width:1.5}
svg .gap{stroke:var(--card);stroke-width:3}svg .thread{stroke:var(--quiet);stroke-dasharray:2 3}
.l1{stroke:var(--c1)}.l2{stroke:var(--c2)}.l3{stroke:var(--c3)}.l4{stroke:var(--c4)}
.f1{fill:var(--c1)}.f2{fill:var(--c2)}.f3{fill:var(--c3)}.f4{fill:var(--c4)}.fq{fill:var(--faint)}
.fgood{fill:var(--good)}.fbad{fill:var(--bad)}
.line{fill:none;stroke-width:1.6;stroke-linejoin:round}.band{stroke:none;fill-opacity:.22}
.share{position:relative}.share i{display:block;height:7px;border-radius:3px;background:var(--c2);min-width:2px}
.why{margin:0;padding:0;list-style:none}
.why>li{display:grid;grid-template-columns:76px minmax(0,1fr);gap:2px 16px;padding:9px 0;
border-bottom:1px solid var(--hair);break-inside:avoid}
.why b{font-size:15px}.why .share{grid-column:1}.why ul{margin:4px 0 0;padding-left:18px;font-size:13.5px;
color:var(--quiet)}
footer{padding-top:6px;padding-bottom:40px;color:var(--quiet);font-size:13px}
@media (max-width:640px){main,header,footer{padding-left:14px;padding-right:14px}section{padding:16px 14px}}
.part{border-top:4px solid var(--accent)}h2.part{border:0;font-size:23px;margin-bottom:14px}
.reader{color:var(--quiet);font-size:15px;font-weight:400;margin-left:8px}
.questions{margin:0}.questions div{display:grid;grid-template-columns:230px minmax(0,1fr);gap:2px 20px;padding:9px 0;
border-top:1px solid var(--hair)}.questions dt{font-weight:650}.questions dd{margin:0;max-width:72ch;
grid-column:2}
nav .parts{list-style:none;padding:0;margin:0}nav .parts>li{display:flex;gap:4px 18px;padding:2px 0;font-size:14px}
nav .parts>li>a{font-weight:650;flex:0 0 110px}
data{white-space:nowrap}.hollow{fill:var(--card);stroke:var(--ink);stroke-width:1.5}
.full{fill:var(--ink);stroke:var(--ink);stroke-width:1.5}
@media (max-width:640px){.questions div{display:block}nav .parts>li{display:block}
.cards{grid-template-columns:repeat(2,minmax(0,1fr))}.cards div{padding:8px 10px}.cards dd{font-size:15px}
.sources{min-width:760px}.scroll td,.scroll th{overflow-wrap:break-word;min-width:72px}
.scroll td:first-child,.scroll th:first-child{min-width:104px}
figure:has(svg){overflow-x:auto}figure svg{min-width:640px}figcaption{position:sticky;left:0}}
@media print{:root{color-scheme:light;--page:#fff;--card:#fff;--accent:#000;--badge:#fff;--badgeink:#000;"""
    + _PAPER
    + """}
body{font-size:9pt;line-height:1.4}main,header,footer{max-width:none;padding:0}section{border:0;padding:0;margin:10pt 0}
section.part{break-before:page;margin-top:0;border-radius:0}tbody tr:first-child{break-before:avoid}
header{padding-top:0}.questions div{padding:2.5pt 0;grid-template-columns:150pt minmax(0,1fr)}
p,.questions dd{max-width:none}
.cards{gap:4pt;margin-bottom:8pt}.cards div{padding:3pt 7pt}.cards dt{font-size:7.5pt}.cards dd{font-size:11pt}
h2{font-size:12pt}nav .parts>li,nav a{font-size:8pt;padding:0;gap:0 12pt}nav .parts>li ul{gap:0 12pt}nav{margin:4pt 0}
figure{margin-bottom:6pt}
h1{font-size:20pt}h2.part{font-size:16pt;margin-bottom:4pt}
header+main>section.part:first-child{break-before:auto}
h1,h2,h3,caption{break-after:avoid}figure,tr,.cards div,.questions div{break-inside:avoid}
figure+.note,figure+.scroll+.note{break-before:avoid}thead{display:table-header-group}nav{break-inside:avoid}
a{text-decoration:none;color:inherit}nav a::after{content:" " target-counter(attr(href url),page)}
.scroll{overflow:visible}table{font-size:8.5pt}td,th{padding-top:3px;padding-bottom:3px}.note,figcaption{font-size:8pt}.small{max-width:55%}.reader{font-size:9pt}.cards{grid-template-columns:repeat(4,1fr)}
@page{size:A4;margin:12mm 14mm 16mm;@bottom-right{content:counter(page) " of " counter(pages);font-size:9pt}
@bottom-left{content:"simulated, not measured";font-size:9pt}}}
"""
)
"""One style sheet; colours are variables so that drawings follow the theme too."""
