def check(values):
    errors = []
    for value in values:
        try:
            int(value)
        except ValueError as error:
            error.add_note(f'while checking {value!r}')
            errors.append(error)
    if errors:
        raise ExceptionGroup('some are wrong', errors)


try:
    check(['1', 'x', 'y'])
except* ValueError as group:
    print([str(error) for error in group.exceptions], group.exceptions[0].__notes__)
print('next')
check(['1', 'z'])
