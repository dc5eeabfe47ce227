"""How many examples a learner takes, with a 95% interval, and what each further head costs."""
import hardhead

for m in (1, 2):
    curve = hardhead.fewest_examples(f"nice:d=6,k=2,m={m}", "gauss-newton", heads=m, least=12 * m, most=10_000)
    print(f"{m} heads: {curve.examples:.0f} examples ({curve.low} .. {curve.high}) for success with probability 1/2")

costs = hardhead.compare([f"nice:d=6,k=2,m={m}" for m in (1, 2, 3, 4)], ["gauss-newton"], seeds=5, examples=4000)
for row in costs.rows():
    print(f"{row['source']}: recovered {row['recovered']} of 5 ({row['low']:.2f} .. {row['high']:.2f})")
# costs.plot("seconds", against="m").figure.savefig("costs.svg") draws them, where Matplotlib is installed.
