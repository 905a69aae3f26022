# Debian: python3-click
import click
from click.testing import CliRunner


@click.group()
@click.option('--verbose/--quiet', default=False, help='Say more.')
@click.pass_context
def cli(ctx, verbose):
    """A tool with commands."""
    ctx.obj = verbose


@cli.command()
@click.argument('names', nargs=-1, required=True)
@click.option('--count', '-c', type=click.IntRange(1, 3), default=1, show_default=True, help='How often.')
@click.option('--style', type=click.Choice(['plain', 'loud']), default='plain')
@click.pass_obj
def greet(verbose, names, count, style):
    """Greet NAMES."""
    for name in names * count:
        click.echo(f'hello {name}' if style == 'plain' else f'HELLO {name.upper()}!')
    if verbose:
        click.secho('done', fg='green')


runner = CliRunner()
for arguments in (['--help'], ['greet', '--help'], ['--verbose', 'greet', 'ann', 'bob', '-c', '2'],
                  ['greet', 'x', '--style', 'loud'],
                  ['greet'], ['greet', 'x', '-c', '9'], ['nothing']):
    result = runner.invoke(cli, arguments, prog_name='tool')
    print(arguments, result.exit_code)
    print(result.output)
