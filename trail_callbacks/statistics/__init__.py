"""What so many runs, claims or probes show: intervals, clustered and paired differences, sample sizes.

Start with `intervals`: `wilson` is the interval of a share everywhere here. What goes wrong together counts as fewer
independent trials, see `clusters`; `rates` are shares of such trials, and two of them compared on the same items;
`contrasts` all that there are of each with each.

By hand, on the standard library and numpy: scipy has Wilson's interval and the binomial tail, and neither design
effects, Newcombe's intervals nor the rest; it would weigh 100 MB in each install.
"""
